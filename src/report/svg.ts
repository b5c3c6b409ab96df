/** Charts as SVG files, drawn by Vega without a browser: the same bytes on every machine. */
import type { Chart } from './report.ts'
import { toVegaLite } from './vega.ts'

async function load() {
  try {
    return { vega: await import('vega'), lite: await import('vega-lite') }
  } catch (error) {
    throw new Error(
      `charts need the packages vega and vega-lite: npm install vega vega-lite (${(error as Error).message})`,
    )
  }
}

export async function toSvg(chart: Chart): Promise<string> {
  const { vega, lite } = await load()
  const { spec } = lite.compile(toVegaLite(chart) as unknown as Parameters<typeof lite.compile>[0])
  const view = new vega.View(vega.parse(spec), { renderer: 'none', logLevel: vega.Error })
  try {
    return `${await view.toSVG()}\n`
  } finally {
    view.finalize()
  }
}
