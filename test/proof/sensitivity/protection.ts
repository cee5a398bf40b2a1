/** One place of the source, and what stands there when its protection is switched off. */
export interface Change {
  /** From the root of the repository. */
  readonly file: string
  /** Stands there exactly once. White space counts as equal, so that the formatter may break lines. */
  readonly text: string
  /** In its place. Default: nothing. */
  readonly without?: string
}

/** A condition, fence, guard or limit. */
export interface Protection extends Change {
  /** In words, as a rule that holds with it. */
  readonly protects: string
  /** Files or folders whose tests are most likely to notice. Default: those of the room. */
  readonly tests?: readonly string[]
  /** Why no quick test can notice. At most ten protections may have one. */
  readonly exception?: string
}

export interface RoomProtections {
  /** A folder of `src`; the files of its protections stand in it. `.` holds the files at the top. */
  readonly room: string
  /** Default: the folder of the same name in `test`. */
  readonly tests?: readonly string[]
  readonly protections: readonly Protection[]
}
