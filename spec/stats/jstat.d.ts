/** The few functions of jstat that serve as a second opinion in the middle of distributions. */
declare module 'jstat' {
  const jstat: {
    studentt: { inv(p: number, freedom: number): number; cdf(t: number, freedom: number): number }
    chisquare: { cdf(x: number, freedom: number): number }
    normal: {
      cdf(x: number, mean: number, sd: number): number
      inv(p: number, mean: number, sd: number): number
    }
  }
  export default jstat
}
