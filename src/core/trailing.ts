/**
 * Returns a text without any of the characters at its end.
 * A regular expression would begin anew at each run of them: its time grows with the square of the text.
 */
export const withoutTrailing = (text: string, characters: string): string => {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
};
