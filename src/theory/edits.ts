/** Edits of a text: one token substituted, inserted or deleted. */

import type { Tokens } from '../core/keys/index.ts'
import { integer, oneOf, outOfRange, wrongType } from '../input.ts'
import { checkText, each } from './checked.ts'

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
 * Returns the text after an edit.
 *
 * @example applyEdit([1, 2, 3], { kind: 'insertion', at: 1, token: 9 }) // [1, 9, 2, 3]
 */
export function applyEdit(tokens: Tokens, edit: Edit): number[] {
  checkText('tokens', tokens)
  checkEdit('edit', edit)
  const places = tokens.length + (edit.kind === 'insertion' ? 1 : 0)
  if (edit.at >= places) throw outOfRange('edit.at', `a place below ${places}`, edit.at)
  return edited(tokens, edit)
}

/** Checks an edit, but for its place, which depends on the text. */
export function checkEdit(name: string, edit: unknown): asserts edit is Edit {
  if (typeof edit !== 'object' || edit === null)
    throw wrongType(name, "an edit such as { kind: 'deletion', at: 0 }", edit)
  const { kind, at, token } = edit as Record<string, unknown>
  oneOf(`${name}.kind`, kind, editKinds)
  integer(`${name}.at`, at, 0)
  if (kind !== 'deletion') integer(`${name}.token`, token, 0)
}

/** Returns the text after an edit that is known to fit. */
export function edited(tokens: Tokens, edit: Edit): number[] {
  const text = Array.from(tokens)
  if (edit.kind === 'deletion') text.splice(edit.at, 1)
  else text.splice(edit.at, edit.kind === 'substitution' ? 1 : 0, edit.token)
  return text
}

/**
 * Returns every edit of a text that gives another text; `replacements` are the tokens to write.
 * @example [...allEdits([1], [1, 2], ['substitution'])] // [{ kind: 'substitution', at: 0, token: 2 }]
 */
export function allEdits(
  tokens: Tokens,
  replacements: readonly number[],
  kinds: readonly EditKind[] = editKinds,
): Generator<Edit> {
  checkText('tokens', tokens)
  checkText('replacements', replacements)
  return editsOf(tokens, replacements, checkKinds(kinds))
}

/** Checks kinds of edits and keeps each at most once. */
export const checkKinds = (kinds: unknown): EditKind[] => [
  ...new Set(each('kinds', kinds, 'a list of kinds of edits', (name, kind) => oneOf(name, kind, editKinds))),
]

/** Yields every edit that gives another text, of arguments that are known to fit. */
export function* editsOf(
  tokens: Tokens,
  replacements: readonly number[],
  kinds: readonly EditKind[],
): Generator<Edit> {
  for (let at = 0; at <= tokens.length; at++) {
    if (kinds.includes('insertion')) for (const token of replacements) yield { kind: 'insertion', at, token }
    if (at === tokens.length) return
    if (kinds.includes('deletion')) yield { kind: 'deletion', at }
    if (kinds.includes('substitution'))
      for (const token of replacements) if (token !== tokens[at]) yield { kind: 'substitution', at, token }
  }
}
