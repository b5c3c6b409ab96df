import { describeMutants } from './describe-mutants.ts'
import { orders } from './orders.ts'

describeMutants('orders', orders)
