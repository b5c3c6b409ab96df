/** Two rounds of chaos; `node scripts/chaos.mjs 50` does more of them and writes reports/chaos.md. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { build, temporaryFolder } from '../../commands/program.ts'
import { requireComponent } from '../../require.ts'
import { chaos, undisturbed } from './chaos.ts'
import { hasRedis } from './redis.ts'

const folder = temporaryFolder('chaos')
const WORKERS = 4

beforeAll(build)

test('killed workers, power cuts of Redis, a killed submitter: the same report', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const { report, cells } = await undisturbed(join(folder, 'local'))
  for (const round of ['first', 'second']) {
    const own = join(folder, round)
    mkdirSync(own)
    const result = await chaos({ folder: own, workers: WORKERS, kills: 3, pause: 60, random: Math.random })
    expect(result.report).toEqual(report)
    expect(result.begun).toBeGreaterThanOrEqual(cells)
    expect(result.begun).toBeLessThanOrEqual(cells + (result.kills + result.restarts) * WORKERS)
    expect(result.orphans).toEqual([])
    expect(result.drafts).toEqual([])
    expect(result.drained).toEqual(Array(WORKERS).fill(0))
  }
}, 400_000)
