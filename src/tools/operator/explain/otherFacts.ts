import type { ItemFacts } from './itemFacts.ts'

/**
 * Content that is kept beside a request: `payload`: for an undo. `answer`: of an outside system, for a join. `result`: of an outside
 * call. Only its size is known here, since it may hold private data.
 */
export interface KeptFacts extends ItemFacts {
  readonly kind: 'kept'
  readonly status: 'payload' | 'answer' | 'result'
  /** Of the text in UTF-8. */
  readonly bytes: number
  /** Of a flow. */
  readonly request: string | undefined
  readonly stage: string | undefined
  /** Of an answer: its external id. Of a result: the name of its call. */
  readonly name: string | undefined
  readonly keptUntil: number | undefined
  /** All but the content. */
  readonly attributes: readonly Attribute[]
}

/** An item that `explain` finds, and has no words for. */
export interface OtherFacts extends ItemFacts {
  readonly kind: 'other'
  readonly status: 'stored'
  readonly keptUntil: number | undefined
  readonly attributes: readonly Attribute[]
}

/** An attribute as text. `bytes` instead of it: it may be content. */
type Attribute =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly bytes: number }

/** Written by a newer version, or by hand: this version cannot read it, and will not run it. */
export interface UnreadableFacts extends ItemFacts {
  readonly kind: 'unreadable'
  readonly status: 'unreadable'
  /** What it would be. `undoneRun`: a dead request whose effects are, or are being, undone. */
  readonly as: 'request' | 'key' | 'undo' | 'flow' | 'deadRun' | 'undoneRun' | 'delayed'
}
