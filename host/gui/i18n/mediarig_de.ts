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
        <source>It is confirmed by: %1
Type the last %2 characters of it:</source>
        <translation>Bestätigt wird es durch: %1
Geben Sie davon die letzten %2 Zeichen ein:</translation>
    </message>
    <message>
        <source>Last characters of what confirms the medium</source>
        <translation>Letzte Zeichen dessen, was das Medium bestätigt</translation>
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
        <source>Filter by name, medium, state or verdict</source>
        <translation>Nach Name, Medium, Zustand oder Urteil filtern</translation>
    </message>
    <message>
        <source>Campaigns</source>
        <translation>Kampagnen</translation>
    </message>
    <message>
        <source>The answer about each medium</source>
        <translation>Die Antwort zu jedem Medium</translation>
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
        <translation>Noch wurde nichts geprüft.</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>, noch %1</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>Nothing runs.</source>
        <translation>Nichts läuft.</translation>
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
        <translation>Medien, die geprüft werden</translation>
    </message>
    <message>
        <source>Results so far</source>
        <translation>Bisherige Ergebnisse</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschehen ist</translation>
    </message>
    <message>
        <source>Begins; where a password is asked for, it is to open the medium.</source>
        <translation>Beginnt; wird nach einem Passwort gefragt, so ist es nötig, um das Medium zu öffnen.</translation>
    </message>
    <message>
        <source>It ended before it could be watched: see the results.</source>
        <translation>Es endete, bevor es beobachtet werden konnte: siehe die Ergebnisse.</translation>
    </message>
    <message>
        <source>The campaign&apos;s process is gone. What was measured is in the results.</source>
        <translation>Der Prozess der Kampagne ist nicht mehr da. Was gemessen wurde, steht in den Ergebnissen.</translation>
    </message>
    <message>
        <source>The campaign does not hear.</source>
        <translation>Die Kampagne nimmt keine Anweisung an.</translation>
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
        <translation>Kein Medium ist angeschlossen.</translation>
    </message>
    <message>
        <source>Is it genuine?</source>
        <translation>Ist es echt?</translation>
    </message>
    <message>
        <source>Whether it holds what it claims, found with few writes.</source>
        <translation>Ob es so viel fasst, wie es angibt; mit wenigen Schreibvorgängen ermittelt.</translation>
    </message>
    <message>
        <source>Is every byte good?</source>
        <translation>Ist jedes Byte in Ordnung?</translation>
    </message>
    <message>
        <source>Its true capacity, and each place that is damaged.</source>
        <translation>Seine wahre Kapazität und jede beschädigte Stelle.</translation>
    </message>
    <message>
        <source>How fast is it?</source>
        <translation>Wie schnell ist es?</translation>
    </message>
    <message>
        <source>Reading and writing, by block size, on the file system that it has.</source>
        <translation>Lesen und Schreiben nach Blockgröße, auf seinem Dateisystem.</translation>
    </message>
    <message>
        <source>Which format suits it?</source>
        <translation>Welches Format passt zu ihm?</translation>
    </message>
    <message>
        <source>Whether exFAT or FAT32 is faster on it, by how much, and how sure that is.</source>
        <translation>Ob exFAT oder FAT32 darauf schneller ist, um wie viel, und wie sicher das ist.</translation>
    </message>
    <message>
        <source>Erases what is on it.</source>
        <translation>Löscht, was darauf ist.</translation>
    </message>
    <message>
        <source>Erases nothing.</source>
        <translation>Löscht nichts.</translation>
    </message>
    <message>
        <source>about %1; writes %2, reads %3</source>
        <translation>etwa %1; schreibt %2, liest %3</translation>
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
        <source>What the comparison of the media says</source>
        <translation>Was der Vergleich der Medien ergibt</translation>
    </message>
    <message>
        <source>The first two of these are shown side by side.</source>
        <translation>Die ersten beiden davon stehen nebeneinander.</translation>
    </message>
    <message>
        <source>problem</source>
        <translation>Fehler</translation>
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
        <translation>&amp;Soll sein</translation>
    </message>
    <message>
        <source>It should be</source>
        <translation>Soll sein</translation>
    </message>
    <message>
        <source>sound</source>
        <translation>in Ordnung</translation>
    </message>
    <message>
        <source>as the SD Association asks for</source>
        <translation>wie die SD Association es verlangt</translation>
    </message>
    <message>
        <source>as %1 formats it</source>
        <translation>wie %1 es formatiert</translation>
    </message>
    <message>
        <source>&amp;Look</source>
        <translation>&amp;Ansehen</translation>
    </message>
    <message>
        <source>Nothing is written to what is looked at.</source>
        <translation>Auf das Angesehene wird nichts geschrieben.</translation>
    </message>
    <message>
        <source>What is on the medium, deviations first</source>
        <translation>Was auf dem Medium ist, Abweichungen zuerst</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>At byte</source>
        <translation>Bei Byte</translation>
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
        <translation>Bereiche des Mediums als Zeichnung; unten aufgeführt</translation>
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
</context>
</TS>
