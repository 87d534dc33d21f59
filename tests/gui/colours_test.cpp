// SPDX-License-Identifier: GPL-3.0-or-later
/// Colours of the window must be readable in a light and in a dark palette.
#include "host/gui/colours.hpp"

#include <QImage>
#include <QListWidget>
#include <array>

#include "host/gui/curve.hpp"
#include "host/gui/device_card.hpp"
#include "tests/catch.hpp"
#include "tests/gui/application.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

QPalette palette_of(const QColor& window, const QColor& base, const QColor& text, const QColor& highlight) {
    QPalette palette(window);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::Disabled, QPalette::Text, text.darker(150));
    palette.setColor(QPalette::Highlight, highlight);
    return palette;
}

/// Palettes of desktops: Adwaita and Breeze in light and dark, black and white, and a medium grey.
std::vector<QPalette> palettes() {
    return {
        palette_of("#fafafa", "#ffffff", "#2e3436", "#3584e4"), palette_of("#303030", "#1e1e1e", "#eeeeec", "#15539e"),
        palette_of("#eff0f1", "#fcfcfc", "#232629", "#3daee9"), palette_of("#2a2e32", "#1b1e20", "#fcfcfc", "#3daee9"),
        palette_of("#ffffff", "#ffffff", "#000000", "#ffff00"), palette_of("#000000", "#000000", "#ffffff", "#000080"),
        palette_of("#777777", "#777777", "#ffffff", "#888888")};
}

constexpr std::array grades{measure::Grade::pass, measure::Grade::marginal, measure::Grade::fail, measure::Grade::fake,
                            measure::Grade::inconclusive};

} // namespace

TEST_CASE("the contrast of two colours follows WCAG") {
    CHECK(contrast(Qt::black, Qt::white) == Approx(21));
    CHECK(contrast(Qt::white, Qt::white) == Approx(1));
    CHECK(contrast(QColor("#777777"), Qt::white) == Approx(4.48).margin(0.005));
    CHECK(contrast(QColor("#767676"), Qt::white) == Approx(4.54).margin(0.005));
}

TEST_CASE("readable_on() keeps a readable colour and adjusts any other colour for its background") {
    CHECK(readable_on(Qt::white, QColor("#006b4f")) == QColor("#006b4f"));
    for (int red = 0; red < 256; red += 17)
        for (int green = 0; green < 256; green += 17)
            for (int blue = 0; blue < 256; blue += 51) {
                const QColor background(red, green, blue);
                CAPTURE(background.name().toStdString());
                CHECK(contrast(background, readable_on(background, background)) >= least_contrast);
            }
}

TEST_CASE("verdicts, curve and untestable media are readable in light and dark palettes") {
    for (const QPalette& palette : palettes()) {
        const QColor base = palette.color(QPalette::Base);
        CAPTURE(base.name().toStdString());
        CHECK(contrast(curve_colour(palette), base) >= least_contrast);
        CHECK(contrast(refused_colour(palette), base) >= least_contrast);
        for (const measure::Grade grade : grades) CHECK(contrast(badge_colour(grade, palette), base) >= least_contrast);
    }
}

TEST_CASE("the curve uses the colours of its palette") {
    application();
    for (const QPalette& palette : palettes()) {
        Curve curve;
        curve.setPalette(palette);
        curve.resize(200, 60);
        curve.show_rates({10e6, 20e6, 5e6, 30e6}, 4);
        const QImage image = curve.grab().toImage();
        bool drawn = false;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor pixel = image.pixelColor(x, y);
                drawn = drawn || pixel == curve_colour(palette);
                if (pixel != curve_colour(palette)) REQUIRE(pixel == palette.color(QPalette::Base));
            }
        CHECK(drawn);
    }
}

TEST_CASE("the list entry of an untestable medium is readable, uses the palette and contains the reason") {
    application();
    QListWidget list;
    auto* const card = new DeviceCard(AttachedMedium{.title = "a disk", .refusals = {"it carries /"}});
    list.addItem(card);
    for (const QPalette& palette : palettes()) {
        list.setPalette(palette);
        const QColor colour = qvariant_cast<QBrush>(card->data(Qt::ForegroundRole)).color();
        CHECK(contrast(colour, palette.color(QPalette::Base)) >= least_contrast);
        CHECK(colour == refused_colour(palette));
    }
    CHECK(card->text().contains("it carries /"));
    CHECK(!(card->flags() & Qt::ItemIsEnabled));
}
