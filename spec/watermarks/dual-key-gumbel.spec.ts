import { dualKeyGumbel } from '../../src/watermarks/index.ts'
import { describeMethod } from './describe-method.ts'

describeMethod(dualKeyGumbel)
