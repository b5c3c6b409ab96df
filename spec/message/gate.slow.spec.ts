import { test } from 'vitest'
import { gumbel } from '../../src/index.ts'
import { expectEveryLaw } from './message-laws.ts'

test('gumbel with a message obeys every law', () => expectEveryLaw(gumbel()))
