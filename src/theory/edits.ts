/** Edits of a text: one token substituted, inserted or deleted. */
import type { Tokens } from '../keys/rule.ts'

export const editKinds = ['substitution', 'insertion', 'deletion'] as const
/** The three ways to edit one token. */
export type EditKind = (typeof editKinds)[number]

/** An edit of one token at a place. */
export type Edit =
  | { readonly kind: 'substitution'; readonly at: number; readonly token: number }
  /** The token comes to stand at `at`, before what stood there. */
  | { readonly kind: 'insertion'; readonly at: number; readonly token: number }
  | { readonly kind: 'deletion'; readonly at: number }

/**
 * The text after an edit.
 *
 * @example applyEdit([1, 2, 3], { kind: 'insertion', at: 1, token: 9 }) // [1, 9, 2, 3]
 */
export function applyEdit(tokens: Tokens, edit: Edit): number[] {
  const text = Array.from(tokens)
  if (edit.kind === 'deletion') text.splice(edit.at, 1)
  else text.splice(edit.at, edit.kind === 'substitution' ? 1 : 0, edit.token)
  return text
}

/**
 * Every edit of a text that gives another text; `replacements` are the tokens to write.
 * @example [...allEdits([1], [1, 2], ['substitution'])] // [{ kind: 'substitution', at: 0, token: 2 }]
 */
export function* allEdits(
  tokens: Tokens,
  replacements: readonly number[],
  kinds: readonly EditKind[] = editKinds,
): Generator<Edit> {
  for (let at = 0; at <= tokens.length; at++) {
    if (kinds.includes('insertion')) for (const token of replacements) yield { kind: 'insertion', at, token }
    if (at === tokens.length) return
    if (kinds.includes('deletion')) yield { kind: 'deletion', at }
    if (kinds.includes('substitution'))
      for (const token of replacements) if (token !== tokens[at]) yield { kind: 'substitution', at, token }
  }
}
