import { describeMutants } from './describe-mutants.ts'
import { oneToken, stateful, wideMutants } from './wide.ts'

/** Distributions by their place in the list of `rulesFor`. */
const wide = {
  'race: ids kept in 16 bits': 'sizes/19',
  'race: words indexed by 16 bits': 'sizes/22',
  'race: ids beyond 50,256 never win': 'sizes/17',
  'race: ids beyond 100,000 never win': 'sizes/20',
  'race: the size of the vocabulary kept in 16 bits': 'sizes/18',
  'race: probabilities clipped at 1e-6': 'sizes/21',
  'race: integer frequencies of 20 bits with a floor of 1': 'sizes/21',
}
const one = {
  'race: the end token 50,256 never drawn': 'sizes/16',
  'race: token 2 never drawn where there are more than 100': 'sizes/15',
  'race: the last id never drawn where there are more than 10,000': 'sizes/16',
  'dip: a newline banned after the mark and renormalised': 'sizes/15',
  'race: +2 on the logits of three tokens': 'sizes/0',
  'race: token 13 never drawn': 'sizes/15',
  'race: token 128,009 never drawn': 'sizes/22',
}

describeMutants('wide vocabularies', wideMutants, { at: wide })
describeMutants('one token', oneToken, { at: one })
describeMutants('state', stateful)
