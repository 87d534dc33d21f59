<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
<context>
    <name>QObject</name>
    <message>
        <source>Rate of the last minutes</source>
        <translation>Geschwindigkeit der letzten Minuten</translation>
    </message>
    <message>
        <source>Everything on this medium is erased.</source>
        <translation>Alles auf diesem Medium wird gelöscht.</translation>
    </message>
    <message>
        <source>Nothing on this medium is erased.</source>
        <translation>Auf diesem Medium wird nichts gelöscht.</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;Abbrechen</translation>
    </message>
    <message>
        <source>Erase and begin</source>
        <translation>Löschen und beginnen</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>Beginnen</translation>
    </message>
    <message>
        <source>Confirmation of this medium: %1
Type its last %2 characters:</source>
        <translation>Bestätigung dieses Mediums: %1
Geben Sie die letzten %2 Zeichen ein:</translation>
    </message>
    <message>
        <source>Last characters of the confirmation</source>
        <translation>Letzte Zeichen der Bestätigung</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Laufend</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>cannot write %1: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>cannot start mediarig: install the package mediarig</source>
        <translation>mediarig kann nicht gestartet werden: installieren Sie das Paket mediarig</translation>
    </message>
    <message>
        <source>cannot start %1: %2</source>
        <translation>%1 kann nicht gestartet werden: %2</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>Began</source>
        <translation>Begonnen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Media</source>
        <translation>Medien</translation>
    </message>
    <message>
        <source>Verdicts</source>
        <translation>Urteile</translation>
    </message>
    <message>
        <source>Campaigns</source>
        <translation>Kampagnen</translation>
    </message>
    <message>
        <source>The result of each medium</source>
        <translation>Ergebnis jedes Mediums</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Genuine</source>
        <translation>Echt</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Open the &amp;page</source>
        <translation>&amp;Seite öffnen</translation>
    </message>
    <message>
        <source>&amp;Watch</source>
        <translation>&amp;Beobachten</translation>
    </message>
    <message>
        <source>Nothing was tested yet.</source>
        <translation>Es wurde noch nichts geprüft.</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>No campaign is running.</source>
        <translation>Es läuft nichts.</translation>
    </message>
    <message>
        <source>&amp;Pause after this step</source>
        <translation>Nach diesem Schritt &amp;pausieren</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Stoppen</translation>
    </message>
    <message>
        <source>Media under test</source>
        <translation>Medien im Test</translation>
    </message>
    <message>
        <source>Results so far</source>
        <translation>Bisherige Ergebnisse</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Starting; a password may be required to open the medium.</source>
        <translation>Wird gestartet; zum Öffnen des Mediums kann ein Passwort nötig sein.</translation>
    </message>
    <message>
        <source>The campaign ended before it could be watched: see the results.</source>
        <translation>Die Kampagne endete, bevor sie beobachtet werden konnte: siehe die Ergebnisse.</translation>
    </message>
    <message>
        <source>The campaign&apos;s process has ended. Its measurements are in the results.</source>
        <translation>Der Prozess der Kampagne ist beendet. Die Messwerte stehen in den Ergebnissen.</translation>
    </message>
    <message>
        <source>The campaign does not respond.</source>
        <translation>Die Kampagne antwortet nicht.</translation>
    </message>
    <message>
        <source>&amp;Continue</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>&amp;Attached media</source>
        <translation>&amp;Angeschlossene Medien</translation>
    </message>
    <message>
        <source>Attached media</source>
        <translation>Angeschlossene Medien</translation>
    </message>
    <message>
        <source>Look &amp;again</source>
        <translation>&amp;Erneut suchen</translation>
    </message>
    <message>
        <source>No medium is attached.</source>
        <translation>Es ist kein Medium angeschlossen.</translation>
    </message>
    <message>
        <source>Is it genuine?</source>
        <translation>Ist es echt?</translation>
    </message>
    <message>
        <source>Checks its claimed capacity with few writes.</source>
        <translation>Prüft die angegebene Kapazität mit wenigen Schreibvorgängen.</translation>
    </message>
    <message>
        <source>Is every byte good?</source>
        <translation>Ist jedes Byte in Ordnung?</translation>
    </message>
    <message>
        <source>Its true capacity and all damaged places.</source>
        <translation>Die wahre Kapazität und alle beschädigten Stellen.</translation>
    </message>
    <message>
        <source>How fast is it?</source>
        <translation>Wie schnell ist es?</translation>
    </message>
    <message>
        <source>Read and write speed by block size, on its file system.</source>
        <translation>Lese- und Schreibgeschwindigkeit nach Blockgröße, auf dem Dateisystem des Mediums.</translation>
    </message>
    <message>
        <source>Which format suits it?</source>
        <translation>Welches Format ist besser geeignet?</translation>
    </message>
    <message>
        <source>The faster of exFAT and FAT32 on it, the difference and its confidence.</source>
        <translation>Das schnellere von exFAT und FAT32, der Unterschied und seine Sicherheit.</translation>
    </message>
    <message>
        <source>Erases all data on the medium.</source>
        <translation>Löscht alle Daten auf dem Medium.</translation>
    </message>
    <message>
        <source>Erases nothing.</source>
        <translation>Löscht nichts.</translation>
    </message>
    <message>
        <source>About %1; writes %2, reads %3.</source>
        <translation>Etwa %1; schreibt %2, liest %3.</translation>
    </message>
    <message>
        <source>%1, serial %2</source>
        <translation>%1, Seriennummer %2</translation>
    </message>
    <message>
        <source>Progress of the step</source>
        <translation>Fortschritt des Schritts</translation>
    </message>
    <message>
        <source>Result of the comparison of the media</source>
        <translation>Ergebnis des Vergleichs der Medien</translation>
    </message>
    <message>
        <source>The first %1 of these are shown side by side; all are compared.</source>
        <translation>Die ersten %1 werden nebeneinander gezeigt; verglichen werden alle.</translation>
    </message>
    <message>
        <source>problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>&amp;Medium or image</source>
        <translation>&amp;Medium oder Abbild</translation>
    </message>
    <message>
        <source>Medium or image</source>
        <translation>Medium oder Abbild</translation>
    </message>
    <message>
        <source>&amp;Image file…</source>
        <translation>A&amp;bbilddatei…</translation>
    </message>
    <message>
        <source>&amp;It should be</source>
        <translation>&amp;Sollzustand</translation>
    </message>
    <message>
        <source>It should be</source>
        <translation>Sollzustand</translation>
    </message>
    <message>
        <source>sound</source>
        <translation>in Ordnung</translation>
    </message>
    <message>
        <source>as the SD Association asks for</source>
        <translation>nach den Vorgaben der SD Association</translation>
    </message>
    <message>
        <source>as %1 formats it</source>
        <translation>wie von %1 formatiert</translation>
    </message>
    <message>
        <source>&amp;Look</source>
        <translation>&amp;Ansehen</translation>
    </message>
    <message>
        <source>An inspection only reads.</source>
        <translation>Die Untersuchung liest nur.</translation>
    </message>
    <message>
        <source>Contents of the medium, deviations first</source>
        <translation>Inhalt des Mediums, Abweichungen zuerst</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Angabe</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>At byte</source>
        <translation>Ab Byte</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Image file</source>
        <translation>Abbilddatei</translation>
    </message>
    <message>
        <source>No deviation</source>
        <translation>Keine Abweichung</translation>
    </message>
    <message>
        <source>Deviations: %1</source>
        <translation>Abweichungen: %1</translation>
    </message>
    <message>
        <source>%1 instead of %2: %3</source>
        <translation>%1 statt %2: %3</translation>
    </message>
    <message>
        <source>Regions</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>Partition table: %1</source>
        <translation>Partitionstabelle: %1</translation>
    </message>
    <message>
        <source>Volume %1: %2, %3 at byte %4</source>
        <translation>Volume %1: %2, %3 bei Byte %4</translation>
    </message>
    <message>
        <source>Regions of the medium, drawn; they are listed below</source>
        <translation>Zeichnung der Bereiche des Mediums; Liste darunter</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>Untersuchen</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 wird gelesen…</translation>
    </message>
    <message>
        <source>%1 bytes, of which %2 were read.</source>
        <translation>%1 Bytes, davon %2 gelesen.</translation>
    </message>
    <message>
        <source>Lot</source>
        <translation>Los</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formate</translation>
    </message>
    <message>
        <source>Suites</source>
        <translation>Suiten</translation>
    </message>
    <message>
        <source>Or pull the medium out and put it back to identify it.</source>
        <translation>Oder ziehen Sie das Medium heraus und stecken Sie es wieder ein, um es zu identifizieren.</translation>
    </message>
    <message>
        <source>The medium was pulled out. Put the same medium back.</source>
        <translation>Das Medium wurde herausgezogen. Stecken Sie dasselbe Medium wieder ein.</translation>
    </message>
    <message>
        <source>The medium was pulled out and put back: it is identified.</source>
        <translation>Das Medium wurde herausgezogen und wieder eingesteckt: Es ist identifiziert.</translation>
    </message>
    <message>
        <source>Another medium was inserted: %1. Neither medium is changed; close this dialog and choose again.</source>
        <translation>Ein anderes Medium wurde eingesteckt: %1. Keines von beiden wird verändert; schließen Sie diesen Dialog und wählen Sie erneut.</translation>
    </message>
    <message>
        <source>%1 ± %2 left</source>
        <translation>noch %1 ± %2</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>Show all details</source>
        <translation>Alles anzeigen</translation>
    </message>
    <message>
        <source>Rig</source>
        <translation>Anlage</translation>
    </message>
    <message>
        <source>Running (%1)</source>
        <translation>Laufend (%1)</translation>
    </message>
    <message>
        <source>Filter: words of name, medium, serial, lot, format, suite, state or verdict</source>
        <translation>Filter: Wörter aus Name, Medium, Seriennummer, Los, Format, Suite, Zustand oder Urteil</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>As &amp;text</source>
        <translation>Als &amp;Text</translation>
    </message>
    <message>
        <source>As &amp;picture</source>
        <translation>Als &amp;Bild</translation>
    </message>
    <message>
        <source>As &amp;CSV</source>
        <translation>Als &amp;CSV</translation>
    </message>
    <message>
        <source>&amp;Save…</source>
        <translation>&amp;Speichern…</translation>
    </message>
    <message>
        <source>P&amp;rint…</source>
        <translation>&amp;Drucken…</translation>
    </message>
    <message>
        <source>Save the results</source>
        <translation>Ergebnisse speichern</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>Text (*.txt)</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Gespeichert als %1</translation>
    </message>
    <message>
        <source>Which rig</source>
        <translation>Welche Anlage</translation>
    </message>
    <message>
        <source>or a rig file</source>
        <translation>oder eine Anlagendatei</translation>
    </message>
    <message>
        <source>the rig that is plugged in</source>
        <translation>die angesteckte Anlage</translation>
    </message>
    <message>
        <source>the simulated rig</source>
        <translation>die simulierte Anlage</translation>
    </message>
    <message>
        <source>no rig: the plan names its media</source>
        <translation>keine Anlage: Der Plan nennt seine Medien</translation>
    </message>
    <message>
        <source>The rig, drawn; its readers are listed below</source>
        <translation>Zeichnung der Anlage; Liste der Leser darunter</translation>
    </message>
    <message>
        <source>Magazine</source>
        <translation>Magazin</translation>
    </message>
    <message>
        <source>Readers</source>
        <translation>Leser</translation>
    </message>
    <message>
        <source>Bins</source>
        <translation>Fächer</translation>
    </message>
    <message>
        <source>The rig has an identity nest.</source>
        <translation>Die Anlage hat ein Identitätsnest.</translation>
    </message>
    <message>
        <source>The position of the carriage is unknown: it is not homed.</source>
        <translation>Die Position des Schlittens ist unbekannt: Er ist nicht referenziert.</translation>
    </message>
    <message>
        <source>Carriage, with a card</source>
        <translation>Schlitten, mit einer Karte</translation>
    </message>
    <message>
        <source>Carriage</source>
        <translation>Schlitten</translation>
    </message>
    <message>
        <source>card</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>lit</source>
        <translation>an</translation>
    </message>
    <message>
        <source>blinking</source>
        <translation>blinkt</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>&amp;Rig</source>
        <translation>Anla&amp;ge</translation>
    </message>
    <message>
        <source>Start a si&amp;mulated rig</source>
        <translation>Eine si&amp;mulierte Anlage starten</translation>
    </message>
    <message>
        <source>&amp;Stop all motion</source>
        <translation>Alle Bewegungen an&amp;halten</translation>
    </message>
    <message>
        <source>Reader</source>
        <translation>Leser</translation>
    </message>
    <message>
        <source>Card</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Licht</translation>
    </message>
    <message>
        <source>Supply</source>
        <translation>Versorgung</translation>
    </message>
    <message>
        <source>Voltage</source>
        <translation>Spannung</translation>
    </message>
    <message>
        <source>Current</source>
        <translation>Strom</translation>
    </message>
    <message>
        <source>Insertions</source>
        <translation>Steckvorgänge</translation>
    </message>
    <message>
        <source>Fault and remedy</source>
        <translation>Fehler und Abhilfe</translation>
    </message>
    <message>
        <source>Move it by &amp;hand</source>
        <translation>&amp;Von Hand bewegen</translation>
    </message>
    <message>
        <source>A campaign moves the rig automatically. By hand, the rig moves at once, with any card in it.</source>
        <translation>Eine Kampagne bewegt die Anlage automatisch. Von Hand bewegt sie sich sofort, auch mit Karten.</translation>
    </message>
    <message>
        <source>By hand</source>
        <translation>Von Hand</translation>
    </message>
    <message>
        <source>Pocket</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>Where to</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>into its own pocket</source>
        <translation>an den eigenen Platz</translation>
    </message>
    <message>
        <source>into the pocket above</source>
        <translation>an den Platz oben</translation>
    </message>
    <message>
        <source>into bin %1</source>
        <translation>ins Fach %1</translation>
    </message>
    <message>
        <source>&amp;Pocket</source>
        <translation>&amp;Platz</translation>
    </message>
    <message>
        <source>Rea&amp;der</source>
        <translation>&amp;Leser</translation>
    </message>
    <message>
        <source>&amp;Load into the reader</source>
        <translation>In den Leser la&amp;den</translation>
    </message>
    <message>
        <source>&amp;Unload the reader</source>
        <translation>Den Leser &amp;entladen</translation>
    </message>
    <message>
        <source>Switch &amp;on</source>
        <translation>&amp;Einschalten</translation>
    </message>
    <message>
        <source>Switch o&amp;ff</source>
        <translation>&amp;Ausschalten</translation>
    </message>
    <message>
        <source>&amp;Home</source>
        <translation>&amp;Referenzieren</translation>
    </message>
    <message>
        <source>Par&amp;k</source>
        <translation>Par&amp;ken</translation>
    </message>
    <message>
        <source>&amp;Clear the fault</source>
        <translation>&amp;Fehler löschen</translation>
    </message>
    <message>
        <source>homed</source>
        <translation>referenziert</translation>
    </message>
    <message>
        <source>not homed</source>
        <translation>nicht referenziert</translation>
    </message>
    <message>
        <source>carriage at pocket %1</source>
        <translation>Schlitten an Platz %1</translation>
    </message>
    <message>
        <source>carriage at reader %1</source>
        <translation>Schlitten an Leser %1</translation>
    </message>
    <message>
        <source>carriage at bin %1</source>
        <translation>Schlitten an Fach %1</translation>
    </message>
    <message>
        <source>a card is on the cup</source>
        <translation>eine Karte ist am Sauger</translation>
    </message>
    <message>
        <source>job %1 runs</source>
        <translation>Auftrag %1 läuft</translation>
    </message>
    <message>
        <source>The emergency stop is pressed, or the door is open: nothing moves until it is closed.</source>
        <translation>Der Not-Halt ist gedrückt oder die Tür ist offen: Bis zum Schließen bewegt sich nichts.</translation>
    </message>
    <message>
        <source>Requested: %1</source>
        <translation>Angefordert: %1</translation>
    </message>
    <message>
        <source>Displayed campaign</source>
        <translation>Angezeigte Kampagne</translation>
    </message>
    <message>
        <source>No. %1: %2</source>
        <translation>Nr. %1: %2</translation>
    </message>
    <message>
        <source>Test a tray</source>
        <translation>Ein Tablett prüfen</translation>
    </message>
    <message>
        <source>Many media at once: all that a rig holds, or that a plan names.</source>
        <translation>Viele Medien auf einmal: alle Medien einer Anlage oder eines Plans.</translation>
    </message>
    <message>
        <source>Duration and amount of data are shown before the start.</source>
        <translation>Dauer und Datenmenge werden vor dem Start angezeigt.</translation>
    </message>
    <message>
        <source>Test of each medium</source>
        <translation>Test für jedes Medium</translation>
    </message>
    <message>
        <source>Lot of all these media</source>
        <translation>Los aller Medien</translation>
    </message>
    <message>
        <source>A plan &amp;file…</source>
        <translation>Eine &amp;Plandatei…</translation>
    </message>
    <message>
        <source>&amp;Question</source>
        <translation>&amp;Frage</translation>
    </message>
    <message>
        <source>&amp;Lot</source>
        <translation>L&amp;os</translation>
    </message>
    <message>
        <source>The plan</source>
        <translation>Der Plan</translation>
    </message>
    <message>
        <source>Faults of the plan, or its media</source>
        <translation>Fehler oder Medien des Plans</translation>
    </message>
    <message>
        <source>&amp;Show the estimate</source>
        <translation>&amp;Schätzung anzeigen</translation>
    </message>
    <message>
        <source>All data on these media is erased. Type the number of media:</source>
        <translation>Alle Daten auf diesen Medien werden gelöscht. Geben Sie die Anzahl der Medien ein:</translation>
    </message>
    <message>
        <source>Number of media to erase</source>
        <translation>Anzahl der Medien, die gelöscht werden</translation>
    </message>
    <message>
        <source>A plan file</source>
        <translation>Eine Plandatei</translation>
    </message>
    <message>
        <source>Plans (*.json)</source>
        <translation>Pläne (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>cannot read %1: %2</source>
        <translation>%1 kann nicht gelesen werden: %2</translation>
    </message>
    <message>
        <source>%1 is too large for a plan</source>
        <translation>%1 ist für einen Plan zu groß</translation>
    </message>
    <message>
        <source>The plan has faults; choose one to see where it is.</source>
        <translation>Der Plan hat Fehler; wählen Sie einen, um seine Stelle zu sehen.</translation>
    </message>
    <message>
        <source>Estimating…</source>
        <translation>Schätzung läuft…</translation>
    </message>
    <message>
        <source>Media: %1</source>
        <translation>Medien: %1</translation>
    </message>
    <message>
        <source>the duration depends on media that are not known yet</source>
        <translation>die Dauer hängt von Medien ab, die noch nicht bekannt sind</translation>
    </message>
    <message>
        <source>On the medium: no known file system</source>
        <translation>Inhalt: kein bekanntes Dateisystem</translation>
    </message>
    <message>
        <source>On the medium: %1</source>
        <translation>Inhalt: %1</translation>
    </message>
    <message>
        <source>How it is measured</source>
        <translation>Art der Messung</translation>
    </message>
    <message>
        <source>Four rows, as in KDiskMark (%1)</source>
        <translation>Vier Zeilen wie in KDiskMark (%1)</translation>
    </message>
    <message>
        <source>Mixed work, to the end of the medium (%1)</source>
        <translation>Gemischte Last bis zum Ende des Mediums (%1)</translation>
    </message>
    <message>
        <source>By block size (%1)</source>
        <translation>Nach Blockgröße (%1)</translation>
    </message>
    <message>
        <source>the tests of the plan file</source>
        <translation>die Tests der Plandatei</translation>
    </message>
</context>
</TS>
