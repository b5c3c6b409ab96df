import { benchmark } from './benchmark.ts'

benchmark('audit')
