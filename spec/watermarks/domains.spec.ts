/**
 * Texts marked with an earlier release are still detected: ids and domains are what they were. The list was computed by release
 * 0.1; changing a line of it is a breaking release. New watermarks need no line.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseWatermark } from '../../src/watermarks/entry.ts'

const frozen: { id: string; domain: string }[] = JSON.parse(
  readFileSync(new URL('../../fixtures/keys/domains.json', import.meta.url), 'utf8'),
)

test.each(frozen)('$id', ({ id, domain }) => {
  expect(parseWatermark(id)).toMatchObject({ id, domain })
})
