import { ROW_GAP, type Spot } from './spot.ts'

/** Spots that touch each other. */
interface Block {
  /** With the distance of each middle from the top of the block. */
  readonly spots: readonly { readonly spot: Spot; readonly offset: number }[]
  /** Of the tops of the block that the single spots wish for. */
  readonly sum: number
  readonly length: number
}

/**
 * Moves the spots of a column as near to their wishes as their order and the gaps allow: spots that would overlap are joined to a
 * block that stands at the mean of their wishes.
 */
export function settle(spots: readonly Spot[], wish: (spot: Spot) => number): void {
  const blocks: Block[] = []
  for (const spot of spots) {
    const length = spot.height + ROW_GAP
    let block: Block = {
      spots: [{ spot, offset: length / 2 }],
      sum: wish(spot) - length / 2,
      length,
    }
    for (let above = blocks.at(-1); above !== undefined; above = blocks.at(-1)) {
      if (topOf(above) + above.length <= topOf(block)) break
      blocks.pop()
      const shift = above.length
      block = {
        spots: [
          ...above.spots,
          ...block.spots.map((each) => ({ ...each, offset: each.offset + shift })),
        ],
        sum: above.sum + block.sum - shift * block.spots.length,
        length: above.length + block.length,
      }
    }
    blocks.push(block)
  }
  for (const block of blocks) {
    for (const { spot, offset } of block.spots) spot.y = topOf(block) + offset
  }
}

function topOf({ sum, spots }: Block): number {
  return sum / spots.length
}
