/** Counts for Prometheus. Labels are routes and status codes: nothing of a request, and no key. */

export class Metrics {
  readonly #requests = new Map<string, number>()
  tokens = 0
  promptTokens = 0
  texts = 0
  disconnected = 0

  request(route: string, status: number): void {
    const labels = `route="${route}",status="${status}"`
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1)
  }

  /** Returns the text of `/metrics`. */
  render(now: { readonly running: number; readonly waiting: number }): string {
    const lines: string[] = []
    const put = (name: string, type: 'counter' | 'gauge', help: string, values: [string, number][]): void => {
      lines.push(`# HELP uwbench_${name} ${help}`, `# TYPE uwbench_${name} ${type}`)
      for (const [labels, value] of values) lines.push(`uwbench_${name}${labels && `{${labels}}`} ${value}`)
    }
    const one = (value: number): [string, number][] => [['', value]]
    put('requests_total', 'counter', 'Requests by route and status.', [...this.#requests])
    put('texts_total', 'counter', 'Texts that were begun.', one(this.texts))
    put('generated_tokens_total', 'counter', 'Tokens that were generated.', one(this.tokens))
    put('prompt_tokens_total', 'counter', 'Tokens of prompts.', one(this.promptTokens))
    put('disconnected_total', 'counter', 'Requests whose client left early.', one(this.disconnected))
    put('texts_running', 'gauge', 'Texts that are being written.', one(now.running))
    put('texts_waiting', 'gauge', 'Texts that wait in the queue.', one(now.waiting))
    return `${lines.join('\n')}\n`
  }
}
