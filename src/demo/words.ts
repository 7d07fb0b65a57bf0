/** Returns what a text lists, with a comma after each. */
const listed = (text: string): readonly string[] => text.split(',').map(item => item.trim());

/**
 * First names.
 * All names in this file are fictitious: none is meant to be that of a living person or existing company.
 */
export const firstNames = listed(`
  Ada, Alim, Amelie, Anouk, Arda, Bela, Birte, Carla, Cem, Clara, Dario, Defne, Edda, Elif, Emil, Enno, Fatou, Finja,
  Gesa, Gustav, Hanna, Henri, Ida, Ilja, Ines, Jana, Jaro, Jonna, Kaja, Karim, Lasse, Leyla, Lio, Mads, Malin, Mara,
  Milo, Nele, Noor, Okan, Ole, Paula, Pia, Quentin, Rabea, Rico, Romy, Samir, Selma, Svea, Tamo, Thea, Tomke, Uli,
  Vera, Wanda, Yara, Yunus, Zoe, Åsa
`);

/** Last names of people. */
export const lastNames = listed(`
  Abendroth, Ahlers, Aydin, Bachmann, Bergström, Birkner, Brückner, Cordes, Dahlke, Demir, Ebeling, Eickhoff, Falk,
  Fiedler, Fröhlich, Gerlach, Göbel, Hagedorn, Hartwig, Heidkamp, Ihde, Jansen, Jessen, Kaya, Kessler, Kowalski,
  Krämer, Lindqvist, Lohmann, Marquardt, Meinert, Moreau, Nagel, Nowak, Oelrichs, Özdemir, Paulsen, Petrov, Quast,
  Rademacher, Reuter, Rosenthal, Sander, Schilling, Seidel, Straub, Tamm, Thiele, Uhlig, Vasquez, Vogt, Wendt,
  Wiechert, Yildiz, Zander, Zeller
`);

/** Names of companies, without their legal form. */
export const companyNames = listed(`
  Adlerwerk, Bergkristall, Blaue Halle, Bühnenraum, Eventhaus Nord, Festkultur, Gastfreund, Goldregen, Hafenlicht,
  Hallenmeister, Klangfabrik, Kongress & Mehr, Kranich, Lichtblick, Marktplatz Süd, Messewelt, Morgenstern, Nordwind,
  Parkett, Pavillon, Rheinbogen, Sommergarten, Stadtbühne, Tafelrunde, Weitblick
`);

/** Legal forms of companies. */
export const companyForms = ['GmbH', 'AG', 'KG', 'Events GmbH', 'Catering GmbH', 'Veranstaltungen e. K.'];

/** Names of streets. */
export const streets = listed(`
  Ahornweg, Am Alten Hafen, Bahnhofstraße, Birkenallee, Brunnengasse, Deichstraße, Fabrikweg, Gartenstraße,
  Hauptstraße, Kastanienallee, Lindenplatz, Marktgasse, Mühlenweg, Schlossallee, Seeufer, Werkstraße
`);

/** Cities with a postal code and a position. */
export const cities: readonly (readonly [city: string, zip: string, latitude: number, longitude: number])[] = [
  ['Berlin', '10115', 52.532, 13.384],
  ['Hamburg', '20095', 53.551, 10.001],
  ['München', '80331', 48.135, 11.573],
  ['Köln', '50667', 50.938, 6.957],
  ['Frankfurt am Main', '60311', 50.111, 8.682],
  ['Stuttgart', '70173', 48.778, 9.18],
  ['Leipzig', '04109', 51.34, 12.373],
  ['Hannover', '30159', 52.374, 9.738],
  ['Bremen', '28195', 53.079, 8.802],
  ['Nürnberg', '90402', 49.453, 11.078],
];

/** Kinds of venues. */
export const venues = listed(`
  Arena, Festhalle, Kongresszentrum, Konzerthaus, Messehalle, Opernhaus, Stadion, Stadtpark
`);

/** Kinds of projects. */
export const projectKinds = listed(`
  Sommerfest, Messe, Konzertreihe, Gala, Roadshow, Jahrestagung, Firmenlauf, Weihnachtsmarkt, Kongress,
  Produktpremiere
`);

/** Kinds of events. */
export const eventKinds = ['Aufbau', 'Eröffnung', 'Haupttag', 'Abendempfang', 'Workshop', 'Abschluss', 'Abbau'];

/** Functions, whether they lead a team, and their hourly pay. */
export const functionNames: readonly (readonly [name: string, leader: boolean, hourlyPay: number])[] = [
  ['Teamleitung', true, 21.5],
  ['Service', false, 14.5],
  ['Bar', false, 15.5],
  ['Küchenhilfe', false, 14],
  ['Garderobe', false, 13.5],
  ['Einlass', false, 14],
  ['Hostess', false, 16],
  ['Logistik', false, 15],
  ['Technik', false, 19],
  ['Promotion', false, 15.5],
];

/** The wage profile of a function; null if it has none. */
export const functionProfile = (id: number): number | null => (id % 4 === 1 ? 2 : null);

/** Names of shifts. */
export const shiftNames = ['Frühschicht', 'Tagschicht', 'Spätschicht', null];

/** Reasons of absences. */
export const busyReasons = ['Urlaub', 'Prüfung', 'Arzttermin', 'Familienfeier', 'Umzug', null];

/** Remarks about assignments. */
export const remarks = ['Kommt mit dem Rad', 'Bitte Arbeitskleidung stellen', 'Erster Einsatz', 'Spricht Englisch'];
