import { benchmark } from './benchmark.ts'

benchmark('falsePositives')
