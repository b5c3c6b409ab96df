import { benchmark } from './benchmark.ts'

benchmark('samples')
