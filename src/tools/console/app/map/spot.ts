/** A box to place. Pixels. */
export interface Box {
  readonly id: string
  readonly width: number
  readonly height: number
}

export interface Link {
  readonly from: string
  readonly to: string
}

/** A box, or the place where a long link passes a column (`id` undefined). */
export interface Spot {
  readonly id: string | undefined
  readonly width: number
  readonly height: number
  readonly column: number
  /** Of its middle. */
  y: number
  readonly before: Spot[]
  readonly after: Spot[]
}

export interface Route {
  readonly from: Spot
  readonly to: Spot
  /** The columns that it passes. */
  readonly way: readonly Spot[]
  /** It leads from right to left. */
  readonly isBack: boolean
}

/** Between the boxes of a column. Pixels. */
export const ROW_GAP = 18
