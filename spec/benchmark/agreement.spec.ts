import { benchmark } from './benchmark.ts'

benchmark('agreement')
