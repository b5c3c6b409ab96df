/** The same steps with other code behind them, as an older worker has them. */
export { open, steps } from './steps.ts'

export const here = () => async (_step: string, inputs: object) => ({ code: 'older older', inputs })
