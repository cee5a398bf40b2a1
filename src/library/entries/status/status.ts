/**
 * Where a request stands, as the table says it. Times are ISO-8601, UTC; `stage` is that of a flow. What cannot be read is no state:
 * it is thrown.
 */
export type RequestStatus =
  | {
      readonly state: 'unknown'
      /**
       * What is possible, since the table has nothing of it. `neverSeen`: no attempt has claimed it yet: it waits on its queue, was
       * refused before it ran (its dead letter says why), or was never sent. `forgotten`: it has ended, and longer ago than its end is
       * remembered. `superseded`: its flow has remembered only newer requests since.
       */
      readonly possible: readonly ('neverSeen' | 'forgotten' | 'superseded')[]
    }
  /** Its next message is known to be on the queue of `stage`. A request of `recordHandler` is never known to be queued. */
  | { readonly state: 'queued'; readonly stage: string }
  /** An attempt has claimed it, and its lease lasts. `attempt` counts from 1. */
  | {
      readonly state: 'running'
      readonly attempt: number
      readonly since: string | undefined
      readonly stage?: string
    }
  /** The run waits for the answer of a step. */
  | { readonly state: 'waiting'; readonly step: string }
  /**
   * No attempt runs, and one follows. `attempt`: how many there were. `notBefore`: undefined when that is not known: it is due, or the
   * last attempt ended without a word, and SQS delivers the message when its visibility timeout is over.
   */
  | {
      readonly state: 'retrying'
      readonly attempt: number
      readonly notBefore: string | undefined
      readonly stage?: string
    }
  /** It has ended, also by a StaleError. `at`: undefined for a flow. What its handler returned is not stored. */
  | { readonly state: 'completed'; readonly at: string | undefined }
  /**
   * It has been given up, or is being: nothing continues it but an operator. `reason`: that of its dead letter; undefined: not known.
   * `final`: an operator cannot, either.
   */
  | {
      readonly state: 'dead'
      readonly reason: string | undefined
      readonly final: boolean
      readonly stage?: string
    }
  /**
   * In a flow it gave way. `newer`: a newer request of its key has started since, and whether this one had ended before is not
   * remembered. `dropped`: its key was taken. `reset`: its run was ended, by a newer request, its handler or an operator.
   */
  | { readonly state: 'superseded'; readonly because: 'newer' | 'dropped' | 'reset' }
