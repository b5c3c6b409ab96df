import { benchmark } from './benchmark.ts'

benchmark('figure1')
