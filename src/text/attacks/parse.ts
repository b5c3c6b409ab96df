import { parseCall } from '../../core/method/index.ts'
import { outOfRange } from '../../input.ts'
import { type Attack, noAttack, type TextTokenizer, throughText } from './attack.ts'
import { type CharacterEditName, characterEdit, characterEditNames } from './characters.ts'
import { copyPaste, truncate } from './excerpts.ts'
import { insert, remove, replace } from './random-edits.ts'

/** Returns an edit of characters as an attack on tokens, with the tokenizer that the options of `apply` have. */
function ofCharacters(name: CharacterEditName, { rate }: Record<string, number>): Attack {
  const edit = characterEdit(name, rate === undefined ? {} : { rate })
  return {
    id: edit.id,
    apply: async (tokens, options) =>
      throughText(edit, options?.tokenizer as TextTokenizer).apply(tokens, options),
  }
}

/** Attacks that need nothing but numbers, by the name their ids begin with. */
const attacks: Readonly<Record<string, (parameters: Record<string, number>) => Attack>> = {
  none: noAttack,
  replace: ({ rate }) => replace({ rate: rate! }),
  insert: ({ rate }) => insert({ rate: rate! }),
  delete: ({ rate }) => remove({ rate: rate! }),
  truncate: ({ keep }) => truncate({ keep: keep! }),
  copyPaste: ({ share, pieces }) => copyPaste({ share: share!, ...(pieces === undefined ? {} : { pieces }) }),
  ...Object.fromEntries(
    characterEditNames.map((name) => [
      name,
      (parameters: Record<string, number>) => ofCharacters(name, parameters),
    ]),
  ),
}

/**
 * Returns the attack with this id: the inverse of `id`. Edits of characters, such as `typos(rate=0.05)`, need the option `tokenizer` of `apply`.
 *
 * @example parseAttack('replace(rate=0.3)').id // 'replace(rate=0.3)'
 */
export function parseAttack(id: string): Attack {
  const example = 'replace(rate=0.3)'
  const { name, first, options } = parseCall('attack', id, example)
  if (!Object.hasOwn(attacks, name))
    throw outOfRange('attack', `one of ${Object.keys(attacks).join(', ')}, as in ${example}`, id)
  if (first !== undefined || Object.values(options).some((value) => typeof value !== 'number'))
    throw outOfRange('attack', 'parameters as name=number', id)
  const attack = attacks[name]!(options as Record<string, number>)
  const known: string[] = attack.id.match(/\w+(?==)/g) ?? []
  const unknown = Object.keys(options).find((option) => !known.includes(option))
  if (unknown !== undefined)
    throw outOfRange('attack', `${name} with ${known.join(', ') || 'no parameters'}`, unknown)
  return attack
}
