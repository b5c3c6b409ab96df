/**
 * Next-token distributions of the embedded model, sorted: -log2 p in sixteenths of a bit at some ranks. Of 2,400 positions
 * of 40 continuations, those at the 5, 25, 50, 75, 95 percent quantiles of entropy. Written by scripts/next-token-shapes.mjs.
 */

export const RANKS: readonly number[] = [
  1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 79, 111, 156, 219, 307, 430, 602, 843, 1181, 1654, 2316, 3243, 4096,
]
export const STEPS = 16

export const nextTokenShapes: readonly (readonly number[])[] = [
  // entropy 0.40 nats
  [
    3, 51, 168, 189, 194, 201, 210, 230, 241, 249, 260, 273, 286, 300, 310, 321, 333, 343, 356, 369, 385, 407,
    443, 673,
  ],
  // entropy 2.30 nats
  [
    26, 38, 47, 63, 83, 98, 131, 145, 161, 177, 199, 216, 234, 246, 257, 269, 279, 289, 302, 316, 331, 352,
    387, 588,
  ],
  // entropy 3.46 nats
  [
    34, 37, 59, 75, 79, 96, 109, 121, 130, 144, 158, 168, 178, 189, 202, 214, 226, 239, 251, 265, 281, 305,
    346, 578,
  ],
  // entropy 4.59 nats
  [
    54, 65, 71, 75, 78, 84, 89, 105, 117, 127, 140, 149, 160, 170, 183, 198, 214, 232, 250, 265, 286, 307,
    339, 457,
  ],
  // entropy 6.04 nats
  [
    77, 81, 89, 97, 98, 101, 113, 118, 120, 125, 131, 136, 144, 151, 159, 168, 181, 194, 212, 232, 256, 286,
    326, 480,
  ],
]
