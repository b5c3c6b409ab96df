/** A watermark that does not ship with the package, as a user's module would export it. */
import { defineWatermark, kgw } from '../../src/index.ts'

const { choose: _, ...parts } = kgw({ delta: 3 })

export const mine = defineWatermark({ ...parts, id: 'mine(delta=3)', domain: 'mine' })
