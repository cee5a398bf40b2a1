import { indexed } from '../claim/statusIndex.ts'
import { isoTime } from '../isoTime.ts'
import type { StoreKey } from '../store/store.ts'
import type { DelayedMessage, DelayedRow } from './delays.ts'
import { writeMessage } from './messageText.ts'

const ROW_PREFIX = 'later#'
const SORT_KEY = 'later'

function delayedKey(id: string): StoreKey {
  return { pk: ROW_PREFIX + id, sk: SORT_KEY }
}

export function writeDelayed(delayed: DelayedMessage): DelayedRow {
  const { id, queue, message, due, now, by, uniqueRequestId, run, keepFor } = delayed
  const key = delayedKey(id)
  return {
    ...key,
    st: 'due',
    queue,
    message: writeMessage(message),
    due,
    by,
    uniquerequestid: run?.uniqueRequestId ?? uniqueRequestId,
    ...(run === undefined ? {} : { run: run.recordPk }),
    keepFor,
    created: isoTime(now),
    ...indexed(key.pk, 'later', due),
  }
}
