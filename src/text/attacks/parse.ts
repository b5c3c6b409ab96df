import { parseCall } from '../../core/method/index.ts'
import { outOfRange } from '../../input.ts'
import { type Attack, noAttack } from './attack.ts'
import { copyPaste, truncate } from './excerpts.ts'
import { insert, remove, replace } from './random-edits.ts'

/** Attacks on tokens that need nothing but numbers, by the name their ids begin with. */
const attacks: Readonly<Record<string, (parameters: Record<string, number>) => Attack>> = {
  none: noAttack,
  replace: ({ rate }) => replace({ rate: rate! }),
  insert: ({ rate }) => insert({ rate: rate! }),
  delete: ({ rate }) => remove({ rate: rate! }),
  truncate: ({ keep }) => truncate({ keep: keep! }),
  copyPaste: ({ share, pieces }) => copyPaste({ share: share!, ...(pieces === undefined ? {} : { pieces }) }),
}

/**
 * Returns the attack with this id: the inverse of `id`.
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
