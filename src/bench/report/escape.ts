/** Text from reports as text, whatever it holds: names, titles and remarks come from files that anybody may have written. */

/** Control characters, halves of surrogate pairs, what turns the direction of text around, and what XML has no place for. */
const unprintable = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu

/** One line of printable text: white space becomes a blank, other control characters U+FFFD. */
export const printable = (text: string): string =>
  text.replace(unprintable, (c) => (/\s/.test(c) ? ' ' : '\ufffd'))

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text that HTML and XML read as text, between tags and inside quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => entities[c]!)

/** A value of a report in HTML or SVG. */
export const markup = (value: string | number): string => escapeHtml(printable(String(value)))

/** A name that can be an id, part of a link or a LaTeX label: different names stay different. */
export const anchor = (name: string): string =>
  name.replace(/[^A-Za-z0-9-]/gu, (c) => `_${c.codePointAt(0)!.toString(16)}_`)
