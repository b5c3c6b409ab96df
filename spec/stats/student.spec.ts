import { describe, expect, test } from 'vitest'
import { logStudentTail, studentQuantile } from '../../src/stats/student.ts'

describe("Student's t", () => {
  test('one degree of freedom is the Cauchy law: 1/2 - arctan(t)/pi', () => {
    for (const t of [0.01, 0.5, 1, 3, 50, 1e6])
      expect(Math.exp(logStudentTail(t, 1))).toBeCloseTo(Math.atan2(1, t) / Math.PI, 14)
    expect(Math.exp(logStudentTail(1e6, 1)) * Math.PI * 1e6).toBeCloseTo(1, 9)
  })

  test('two degrees of freedom have the closed form 1/2 - t / (2 sqrt(2 + t^2))', () => {
    for (const t of [0.1, 1, 4, 20])
      expect(Math.exp(logStudentTail(t, 2))).toBeCloseTo(0.5 - t / (2 * Math.sqrt(2 + t * t)), 13)
  })

  test('three degrees of freedom have a closed form too', () => {
    for (const t of [0.1, 1, 4, 20]) {
      const x = t / Math.sqrt(3)
      expect(Math.exp(logStudentTail(t, 3))).toBeCloseTo(0.5 - (x / (1 + x * x) + Math.atan(x)) / Math.PI, 12)
    }
  })

  test('symmetric, and the quantile is the inverse', () => {
    for (const df of [1, 3.7, 20, 400])
      for (const tail of [0.4, 0.025, 1e-4, 1e-9]) {
        const t = studentQuantile(tail, df)
        expect(Math.exp(logStudentTail(t, df)) / tail).toBeCloseTo(1, 9)
        expect(Math.exp(logStudentTail(-t, df))).toBeCloseTo(1 - tail, 12)
      }
    expect(studentQuantile(0.025, 10)).toBeCloseTo(2.228138852, 9)
    expect(studentQuantile(0.025, 1e7)).toBeCloseTo(1.959964, 5)
  })
})
