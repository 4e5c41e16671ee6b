/** What a spreadsheet program takes for the start of a formula; the full-width forms in East Asian settings. */
const START = /^[=+\-@＝＋－＠\t\r]/
/** Where the list separator is a semicolon, a cell of a comma-separated file ends at each, and the next one begins. */
const AFTER_SEMICOLON = /;(?=[=+\-@＝＋－＠])/g

/** Text for a CSV file in which no spreadsheet program finds a formula: an apostrophe stands before each start of one. */
export const withoutFormulas = (text: string): string =>
  text.replace(AFTER_SEMICOLON, ";'").replace(START, "'$&")
