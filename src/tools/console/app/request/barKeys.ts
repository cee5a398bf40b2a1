import type { Bar, PlacedLane } from './waterfallLayout.ts'

/** @returns the bar that a key moves to, lane by lane; undefined: the key is the browser's, or there is no bar */
export function barAfter(
  key: string,
  lanes: readonly Pick<PlacedLane, 'bars'>[],
  chosen: Bar | undefined,
): Bar | undefined {
  const bars = lanes.flatMap((lane) => lane.bars.map(({ bar }) => bar))
  const at = bars.findIndex((each) => isSameBar(each, chosen))
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return bars[Math.min(at + 1, bars.length - 1)]
    case 'ArrowLeft':
    case 'ArrowUp':
      return bars[Math.max(at - 1, 0)]
    case 'Home':
      return bars[0]
    case 'End':
      return bars.at(-1)
    default:
      return undefined
  }
}

/** Each answer of the server has bars of its own. */
export function isSameBar(one: Bar, other: Bar | undefined): boolean {
  return one.lane === other?.lane && one.from === other.from && one.label === other.label
}
