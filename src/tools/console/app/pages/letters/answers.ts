import type { DeadLetterGroup, FoundQueue, UnreadQueue } from '../../../../operator/dlq/index.ts'

/** A group of dead letters, and the queue that it is on. Times are ISO 8601. */
export interface LetterGroup extends Omit<DeadLetterGroup, 'oldest' | 'newest'> {
  readonly queue: string
  readonly oldest: string
  readonly newest: string
}

/** `GET /api/queues` */
export interface Queues {
  readonly queues: readonly FoundQueue[]
  readonly unread: readonly UnreadQueue[]
}

/** `GET /api/groups` */
export interface Groups {
  readonly groups: readonly LetterGroup[]
  readonly looked: number
  /** There are more dead letters than were looked at. */
  readonly more: boolean
  /** Only the first dead letters of each message group are visible. */
  readonly fifo: boolean
  readonly unread: readonly UnreadQueue[]
}

/** A text that was too large to be sent: its size, and its beginning. */
interface Folded {
  readonly bytes: number
  readonly start?: string
}

/** One dead letter. Times are ISO 8601. */
export interface Letter {
  readonly uniquerequestid: string
  /** Name, or as it was asked for. */
  readonly queue: string
  readonly messageId: string
  readonly identity: 'stamped' | 'sns' | 'message'
  readonly group: string
  /** Consumer, stage, queue or topic. */
  readonly of: string
  readonly reason: string
  readonly error?: string
  readonly stack?: string
  readonly attempts?: number
  /** How often it was dead-lettered. */
  readonly death?: number
  readonly received: number
  readonly sentAt: string
  readonly firstSentAt?: string
  /** `flow/KEY`, and the request. */
  readonly flow?: string
  readonly run?: string
  readonly movedFrom?: string
  readonly messageGroup?: string
  readonly attributes: Readonly<Record<string, string>>
  readonly bytes: number
  /** Where the payload is that the message does not carry. */
  readonly payload?: string
  readonly body?: string | Folded
}

/** `GET /api/letters` */
export interface Letters {
  readonly letters: readonly Letter[]
  readonly looked: number
  readonly more: boolean
  readonly fifo: boolean
  readonly unread: readonly UnreadQueue[]
}
