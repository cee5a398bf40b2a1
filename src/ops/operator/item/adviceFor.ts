import { optionWord, positionalWords, shellWord } from '../text/commandLine.ts'

/** Dead letters of one reason: a group, or a single one. */
interface ReasonedDeadLetters {
  /** As the consumer wrote it. */
  readonly reason: string
  /** Name of the dead-letter queue; undefined: not known. */
  readonly queue: string | undefined
  /** What selects them. */
  readonly by: { readonly group: string } | { readonly id: string }
  /** `consumer/ID` of the one whose outcome is unknown; undefined: there are several, or it is of a flow. */
  readonly request?: string | undefined
}

/** What an operator does about dead letters. */
interface Advice {
  /** Whether a redrive is the cure: with the same payload they can complete once the cause is repaired. */
  readonly redrive: boolean
  /** The complete command to type next. */
  readonly next: string
  /** Why, and what comes after it. undefined: nothing, once the cause is repaired. */
  readonly afterwards: string | undefined
}

/** The command by the reason. `status` and `explain` advise by it, so that they never contradict each other. */
export function adviceFor({ reason, queue, by, request }: ReasonedDeadLetters): Advice {
  const selected = 'group' in by ? optionWord('--group', by.group) : optionWord('--id', by.id)
  const one = 'group' in by ? '--id ID' : selected
  const home = queue === undefined ? '--all' : positionalWords(queue)
  // `peek` without a queue looks on all of them, and `edit` needs one.
  const peek = `lineclear dlq peek ${queue === undefined ? '' : `${home} `}${selected} --body`
  const edit = `lineclear dlq edit ${queue === undefined ? 'QUEUE' : home} ${one} --set PATH=JSON`
  const discard = `lineclear dlq discard ${home} ${selected}`
  const redrive = `lineclear dlq redrive ${home} ${selected}`
  switch (reason) {
    case 'rejected':
      return {
        redrive: false,
        next: peek,
        afterwards: `a redrive alone is rejected again. Correct it: ${edit}, then redrive it; or take it off the queue: ${discard}`,
      }
    case 'terminal':
      return {
        redrive: false,
        next: peek,
        afterwards: `its handler says that no attempt can succeed. Take it off the queue: ${discard}; or correct it (dlq edit) or the handler, then redrive it`,
      }
    case 'conflict':
      return {
        redrive: false,
        next: peek,
        afterwards: `another payload or answer was taken under the same id, so that a redrive conflicts again. If that one was right: ${discard}`,
      }
    case 'unknown':
      return {
        redrive: false,
        next: request === undefined ? peek : `lineclear explain ${shellWord(request)}`,
        afterwards:
          'whether a call was made is unknown, and a redrive alone is dropped. Check the outside system, then tokens resolve, reopen or release; explain ID names the command',
      }
    default:
      return { redrive: true, next: redrive, afterwards: undefined }
  }
}
