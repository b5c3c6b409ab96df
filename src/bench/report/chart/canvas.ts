/** The canvas of a chart: its width, its colours and the look of its markers. */

import { markup } from '../escape.ts'
import type { Layer } from '../report.ts'
import { type Attributes, element, at as point, through } from './draw.ts'

export type Shape = 'circle' | 'square' | 'triangle-up' | 'triangle-down' | 'diamond' | 'cross'

/** Colours of a chart: plain ones in a file, CSS variables on a page. */
export interface Look {
  readonly ink: string
  readonly soft: string
  readonly faint: string
  readonly grid: string
  /** Background of the chart. */
  readonly ground: string
  colour(family: string): string
  shape(family: string): Shape
  /** The class of a family's marks, where a page can hide them. */
  className?(family: string): string
}

export interface Canvas {
  readonly width: number
  readonly look: Look
  readonly layers: readonly Layer[]
  /** Marks carry what the script of a page needs to show their values. */
  readonly interactive: boolean
  /** True: the script finds the values in the marks of another drawing of the same chart. */
  readonly twin?: boolean
}

/** A drawn chart: SVG of a height, and what it shows in words. */
export interface Drawing {
  readonly height: number
  readonly body: readonly string[]
  readonly description: string
}

export const fontSize = 12

/** Outline of a mark of radius r around a point: the origin, unless given. */
export function outline(shape: Shape, r: number, cx = 0, cy = 0): string {
  const at = (x: number, y: number) => point(cx + r * x, cy + r * y)
  const polygon = (...corners: readonly (readonly [number, number])[]) =>
    `${through(corners.map(([x, y]) => [cx + r * x, cy + r * y]))}Z`
  switch (shape) {
    case 'circle':
      return `M${at(-1, 0)}A${r} ${r} 0 1 1 ${at(1, 0)}A${r} ${r} 0 1 1 ${at(-1, 0)}Z`
    case 'square':
      return polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9])
    case 'diamond':
      return polygon([0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0])
    case 'triangle-up':
      return polygon([0, -1.2], [1.15, 0.85], [-1.15, 0.85])
    case 'triangle-down':
      return polygon([0, 1.2], [1.15, -0.85], [-1.15, -0.85])
    case 'cross': {
      const [a, b] = [0.45, 1.05]
      const quarter = (x: number, y: number): [number, number][] => [
        [a * x, b * y],
        [a * x, a * y],
        [b * x, a * y],
      ]
      const [ne, se, sw, nw] = [quarter(1, -1), quarter(1, 1), quarter(-1, 1), quarter(-1, -1)]
      return polygon(...ne, ...se.reverse(), ...sw, ...nw.reverse())
    }
  }
}

/** The paint of a part in a file; the style of a page paints it by a class. */
export const painted = (canvas: Canvas, className: string, paint: Attributes): Attributes =>
  canvas.interactive ? { class: className } : paint

/** The classes of something that belongs to a family, on a canvas whose page can hide it. */
export const classes = (canvas: Canvas, family: string, ...more: readonly string[]): string | undefined =>
  canvas.look.className ? [...more, canvas.look.className(family)].join(' ') : undefined

/** All that stands for one method: it says its values on a page, and has them as a title in a file. */
export function mark(
  canvas: Canvas,
  item: { readonly family: string; readonly layer?: Layer },
  values: readonly string[],
  children: readonly string[],
  more: { readonly [name: string]: string } = {},
): string {
  const text = values.join('; ')
  if (!canvas.interactive) return element('g', {}, element('title', {}, markup(text)), ...children)
  const kind = item.layer === 'paper' ? ['mark', 'paper'] : ['mark']
  const words = canvas.twin ? {} : { 'aria-label': text, ...more }
  return element('g', { class: classes(canvas, item.family, ...kind), ...words }, ...children)
}
