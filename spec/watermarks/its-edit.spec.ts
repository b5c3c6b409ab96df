import { itsEdit } from '../../src/watermarks/index.ts'
import { describeMethod } from './describe-method.ts'

describeMethod(itsEdit)
