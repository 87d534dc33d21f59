# SPDX-License-Identifier: GPL-3.0-or-later
"""Observes a window of another process on a private X server: when it appears, when it responds, and its picture. It sends the
request of window managers (_NET_WM_PING), which only an idle program answers."""
import contextlib
import ctypes
import ctypes.util
import os
import select
import shutil
import subprocess
import time

from racing import Skip

LONGS = ctypes.c_long * 24
SUBSTRUCTURE_NOTIFY, STRUCTURE_NOTIFY = 1 << 19, 1 << 17
MAP_NOTIFY, CLIENT_MESSAGE, KEY_PRESS, KEY_RELEASE = 19, 33, 2, 3
CONTROL = 1 << 2
Z_PIXMAP, ALL_PLANES = 2, ctypes.c_ulong(-1)


class Event(ctypes.Union):
    class Mapped(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                    ("parent", ctypes.c_ulong), ("window", ctypes.c_ulong), ("override", ctypes.c_int)]

    class Message(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                    ("window", ctypes.c_ulong), ("name", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]

    class Key(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                    ("window", ctypes.c_ulong), ("root", ctypes.c_ulong), ("subwindow", ctypes.c_ulong), ("time", ctypes.c_ulong),
                    ("x", ctypes.c_int), ("y", ctypes.c_int), ("x_root", ctypes.c_int), ("y_root", ctypes.c_int),
                    ("state", ctypes.c_uint), ("keycode", ctypes.c_uint), ("same_screen", ctypes.c_int)]
    _fields_ = [("type", ctypes.c_int), ("mapped", Mapped), ("message", Message), ("key", Key), ("room", LONGS)]


class Image(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("offset", ctypes.c_int), ("format", ctypes.c_int),
                ("data", ctypes.c_void_p), ("byte_order", ctypes.c_int), ("unit", ctypes.c_int), ("bit_order", ctypes.c_int),
                ("pad", ctypes.c_int), ("depth", ctypes.c_int), ("bytes_per_line", ctypes.c_int)]


def xlib():
    name = ctypes.util.find_library("X11")
    if not name:
        raise Skip("libX11 is missing")
    lib = ctypes.CDLL(name)
    number, pointer = ctypes.c_ulong, ctypes.c_void_p
    for function, answer, takes in (
            ("XOpenDisplay", pointer, [ctypes.c_char_p]), ("XDefaultRootWindow", number, [pointer]),
            ("XInternAtom", number, [pointer, ctypes.c_char_p, ctypes.c_int]),
            ("XSelectInput", ctypes.c_int, [pointer, number, ctypes.c_long]), ("XPending", ctypes.c_int, [pointer]),
            ("XNextEvent", ctypes.c_int, [pointer, ctypes.POINTER(Event)]), ("XFlush", ctypes.c_int, [pointer]),
            ("XSendEvent", ctypes.c_int, [pointer, number, ctypes.c_int, ctypes.c_long, ctypes.POINTER(Event)]),
            ("XFetchName", ctypes.c_int, [pointer, number, ctypes.POINTER(ctypes.c_char_p)]),
            ("XSetInputFocus", ctypes.c_int, [pointer, number, ctypes.c_int, number]),
            ("XStringToKeysym", number, [ctypes.c_char_p]), ("XKeysymToKeycode", ctypes.c_ubyte, [pointer, number]),
            ("XGetImage", ctypes.POINTER(Image), [pointer, number] + [ctypes.c_int] * 2 + [ctypes.c_uint] * 2 +
             [ctypes.c_ulong, ctypes.c_int]), ("XFree", ctypes.c_int, [pointer]), ("XConnectionNumber", ctypes.c_int, [pointer]),
            ("XGetGeometry", ctypes.c_int, [pointer, number, ctypes.POINTER(number)] + [ctypes.POINTER(ctypes.c_int)] * 2 +
             [ctypes.POINTER(ctypes.c_uint)] * 4), ("XDestroyImage", ctypes.c_int, [ctypes.POINTER(Image)]),
            ("XCloseDisplay", ctypes.c_int, [pointer])):
        getattr(lib, function).restype, getattr(lib, function).argtypes = answer, takes
    return lib


@contextlib.contextmanager
def x_server():
    """The name of a display without viewers, and the process behind it."""
    if not shutil.which("Xvfb"):
        raise Skip("Xvfb is missing")
    reader, writer = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
                              pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        if not select.select([reader], [], [], 30)[0]:
            raise Skip("Xvfb does not start")
        number = os.read(reader, 16).decode().strip()
        if not number:
            raise Skip("Xvfb does not start")
        yield f":{number}", server.pid
    finally:
        os.close(reader)
        server.terminate()
        server.wait()


class Watcher:
    """Detects windows that appear on a display. Used as a context."""

    def __init__(self, display):
        self.lib = xlib()
        self.display = self.lib.XOpenDisplay(display.encode())
        if not self.display:
            raise Skip("the X server does not answer")
        self.root = self.lib.XDefaultRootWindow(self.display)
        self.protocols, self.ping = (self.lib.XInternAtom(self.display, name, 0) for name in (b"WM_PROTOCOLS", b"_NET_WM_PING"))
        self.lib.XSelectInput(self.display, self.root, SUBSTRUCTURE_NOTIFY | STRUCTURE_NOTIFY)
        self.lib.XFlush(self.display)
        self.pings = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.XCloseDisplay(self.display)

    def wait(self, wanted, seconds=60):
        """The first event of the requested kind."""
        event, end = Event(), time.monotonic() + seconds
        while True:
            while self.lib.XPending(self.display):
                self.lib.XNextEvent(self.display, ctypes.byref(event))
                if wanted(event):
                    return event
            left = end - time.monotonic()
            if left <= 0:
                raise Skip("the window does not answer")
            select.select([self.lib.XConnectionNumber(self.display)], [], [], left)

    def appears(self, title):
        """Waits until the program maps the window of that title."""
        def is_it(event):
            if event.type != MAP_NOTIFY or event.mapped.override:
                return False
            name = ctypes.c_char_p()
            if not self.lib.XFetchName(self.display, event.mapped.window, ctypes.byref(name)):
                return False
            return name.value.decode(errors="replace") == title
        return self.wait(is_it).mapped.window

    def answers(self, window, times=3):
        """Waits until all earlier events are handled and painted. One request may be answered from the queue before
        the events that arrived with it are handled; their painting follows in the next turn of the queue."""
        for _ in range(times):
            self.pings += 1
            event = Event()
            event.message.type, event.message.window, event.message.name, event.message.format = (
                CLIENT_MESSAGE, window, self.protocols, 32)
            event.message.data[0], event.message.data[1], event.message.data[2] = self.ping, self.pings, window
            self.lib.XSendEvent(self.display, window, 0, 0, ctypes.byref(event))
            self.lib.XFlush(self.display)
            self.wait(lambda each: each.type == CLIENT_MESSAGE and each.message.name == self.protocols and
                      each.message.data[1] == self.pings)

    def focus(self, window):
        """Imitates a window manager for a new window."""
        self.lib.XSetInputFocus(self.display, window, 1, 0)
        self.answers(window)

    def press(self, window, key, modifiers=0):
        code = self.lib.XKeysymToKeycode(self.display, self.lib.XStringToKeysym(key.encode()))
        for kind in (KEY_PRESS, KEY_RELEASE):
            event = Event()
            event.key.type, event.key.window, event.key.root, event.key.state = kind, window, self.root, modifiers
            event.key.keycode, event.key.same_screen = code, 1
            self.lib.XSendEvent(self.display, window, 1, kind - 1, ctypes.byref(event))
        self.lib.XFlush(self.display)

    def picture(self, window):
        """Returns the pixels of the window."""
        root, x, y = ctypes.c_ulong(), ctypes.c_int(), ctypes.c_int()
        width, height, border, depth = (ctypes.c_uint() for _ in range(4))
        self.lib.XGetGeometry(self.display, window, *map(ctypes.byref, (root, x, y, width, height, border, depth)))
        image = self.lib.XGetImage(self.display, window, 0, 0, width, height, ALL_PLANES, Z_PIXMAP)
        if not image:
            raise Skip("the window cannot be read")
        try:
            return ctypes.string_at(image.contents.data, image.contents.bytes_per_line * image.contents.height)
        finally:
            self.lib.XDestroyImage(image)
