import type { Advice } from './advice.ts'
import { advise, adviceLines, type Command, commandText, note } from './advise.ts'

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

/** Those of a group, or of ids. */
interface SelectedDeadLetters {
  readonly queue: string | undefined
  readonly by: { readonly group: string } | { readonly id: string | readonly string[] }
}

/** What an operator does about dead letters. */
interface DeadLetterAdvice {
  /** Whether a redrive is the cure: with the same payload they can complete once the cause is repaired. */
  readonly redrive: boolean
  /** The complete command to type next. */
  readonly next: string
  /** Why, and what comes after it. undefined: nothing, once the cause is repaired. */
  readonly afterwards: string | undefined
  /** The same as data: the next step first. */
  readonly advice: readonly Advice[]
}

/** The command by the reason. `status` and `explain` advise by it, so that they never contradict each other. */
export function adviceFor(deadLetters: ReasonedDeadLetters): DeadLetterAdvice {
  const { redrive, command, after } = stepsFor(deadLetters)
  const before = redrive ? `after the fix, redrive ${ownDeadLetter(deadLetters)}: ` : ''
  return {
    redrive,
    next: commandText(command),
    afterwards: adviceLines(after)[0],
    advice: [advise({ before, command }, { cure: true }), ...after],
  }
}

/** Sends them back. */
export function redriveCommand(deadLetters: Omit<ReasonedDeadLetters, 'reason'>): Command {
  return { action: 'dlq.redrive', ...selected(deadLetters) }
}

/** Takes them off the queue, for what needs no redrive. */
export function discardCommand(deadLetters: SelectedDeadLetters): Command {
  return { action: 'dlq.discard', ...selected(deadLetters) }
}

function ownDeadLetter({ by }: ReasonedDeadLetters): string {
  return 'group' in by ? 'them' : 'its dead letter'
}

interface Steps {
  readonly redrive: boolean
  readonly command: Command
  /** One line. */
  readonly after: readonly Advice[]
}

function stepsFor(deadLetters: ReasonedDeadLetters): Steps {
  const { reason, queue, by, request } = deadLetters
  // `peek` without a queue looks on all of them, and `edit` needs one.
  const peek: Command = {
    action: 'dlq.peek',
    ...(queue !== undefined && { positionals: { queue } }),
    options: { ...by, body: true },
  }
  const discard = discardCommand(deadLetters)
  switch (reason) {
    case 'rejected':
      return {
        redrive: false,
        command: peek,
        after: [
          note('a redrive alone is rejected again'),
          advise(
            {
              before: 'correct it: ',
              command: editCommand(deadLetters),
              after: ', then redrive it',
            },
            { joined: '. ' },
          ),
          advise({ before: 'or take it off the queue: ', command: discard }, { joined: '; ' }),
        ],
      }
    case 'terminal':
      return {
        redrive: false,
        command: peek,
        after: [
          note('its handler says that no attempt can succeed'),
          advise({ before: 'take it off the queue: ', command: discard }, { joined: '. ' }),
          note('or correct it (dlq edit) or the handler, then redrive it', { joined: '; ' }),
        ],
      }
    case 'conflict':
      return {
        redrive: false,
        command: peek,
        after: [
          note(
            'another payload or answer was taken under the same id, so that a redrive conflicts again',
          ),
          advise({ before: 'if that one was right: ', command: discard }, { joined: '. ' }),
        ],
      }
    case 'unknown':
      return {
        redrive: false,
        command: request === undefined ? peek : { action: 'explain', positionals: { id: request } },
        after: [
          note(
            'whether a call was made is unknown, and a redrive alone is dropped. Check the outside system, then tokens resolve, reopen or release; explain ID names the command',
          ),
        ],
      }
    case 'lost record':
      return {
        redrive: false,
        command: peek,
        after: [
          note(
            'an attempt of it is not recorded any more, so that a redrive is refused again: find out what was done',
          ),
          advise({
            before: 'if nothing was done: ',
            command: { ...redriveCommand(deadLetters), last: ['--force'] },
            after: ', or start the request of a flow again',
          }),
        ],
      }
    default:
      return { redrive: true, command: redriveCommand(deadLetters), after: [] }
  }
}

function editCommand({ queue, by }: ReasonedDeadLetters): Command {
  return {
    action: 'dlq.edit',
    positionals: { queue: queue ?? { ask: 'queue', word: 'QUEUE', before: '' } },
    options: {
      id: 'id' in by ? by.id : { ask: 'id', word: 'ID', before: '' },
      set: { ask: 'change', word: 'PATH=JSON', before: '' },
    },
  }
}

/** A queue that is not known: all of them. */
function selected({ queue, by }: SelectedDeadLetters): Pick<Command, 'positionals' | 'options'> {
  return queue === undefined
    ? { options: { all: true, ...by } }
    : { positionals: { queue }, options: { ...by } }
}
