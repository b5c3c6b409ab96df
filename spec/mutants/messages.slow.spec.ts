import { describeMutants } from './describe-mutants.ts'
import { messages } from './messages.ts'

describeMutants('messages', messages)
