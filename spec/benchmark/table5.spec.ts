import { benchmark } from './benchmark.ts'

benchmark('table5')
