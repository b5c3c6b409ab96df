import { mcmark } from '../../src/watermarks/index.ts'
import { describeMethod } from './describe-method.ts'

describeMethod(mcmark)
