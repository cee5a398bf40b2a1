/** What AWS bills for one answer: requests to DynamoDB, their capacity units, and requests to SQS. */
export interface Cost {
  readonly queries: number
  /** As DynamoDB reports them; 0 where it reports none. */
  readonly units: number
  /** Every request to SQS is billed alike: receiving, listing queues, reading their attributes. */
  readonly receives: number
}

/** What a command of `lineclear` has answered. */
export interface CommandAnswer {
  /** 0: done. 1: something was found, or refused. 2: wrong arguments. 3: no answer from the table or AWS. 4: not found. */
  readonly exit: 0 | 1 | 2 | 3 | 4
  /** The command, as a person types it. */
  readonly line: string
  /** What it prints with `--json`. */
  readonly answer: Readonly<Record<string, unknown>>
  readonly cost: Cost
}

/**
 * Runs a command of `lineclear` in this process, on the table and queues that this one was started for.
 * @param args the command's name, and its arguments
 * @param signal ends it at its next safe point, as Ctrl-C does
 */
export type Again = (args: readonly string[], signal?: AbortSignal) => Promise<CommandAnswer>
