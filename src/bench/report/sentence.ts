/** Sentences that are right for any number of things, none and one included. */

/** `a`, `a and b`, `a, b and c`. */
export const listed = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

/** `no methods`, `1 method`, `2 methods`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? `no ${many}` : `${count} ${count === 1 ? one : many}`

/** The form of a verb: `differs` for one, `differ` for others. */
export const verb = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** Names a stand-in in a phrase without a verb, so that it fits any number. */
export const inPlaceOf = ({ paper, here }: { readonly paper: string; readonly here: string }): string =>
  `${here} in place of ${paper}`
