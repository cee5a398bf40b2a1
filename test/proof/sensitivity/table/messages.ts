import type { RoomProtections } from '../protection.ts'

const rooms: readonly RoomProtections[] = [
  {
    room: 'record/envelope',
    protections: [
      {
        file: 'readEnvelope.ts',
        protects: 'a sender cannot be younger than its message',
        text: 'enqueuedAt !== undefined && sentAt > enqueuedAt &&',
        without: 'false &&',
      },
      {
        file: 'readEnvelope.ts',
        protects: 'only a marked message is unwrapped',
        text: 'packed?.wrapped === true',
        without: 'true',
      },
      {
        file: 'readEnvelope.ts',
        protects: 'only notifications of named topics choose an identity',
        text: "topics === 'any' || topics?.includes(topicArn) === true",
        without: 'true',
      },
      {
        file: 'lineclearAttributes.ts',
        protects: 'a stamped time in the future is not believed',
        text: 'sentAt: (value, now) => integer(value, 1, now + MAX_CLOCK_SKEW_MS)',
        without: 'sentAt: (value) => integer(value, 1, Infinity)',
      },
      {
        file: 'lineclearAttributes.ts',
        protects: 'an id fits into every copy',
        text: 'text.length <= MAX_ID_LENGTH &&',
      },
      {
        file: 'wrapper.ts',
        protects: 'what is inside a message is no longer than a message',
        text: "typeof Message !== 'string' || isTooLong(Message)",
        without: "typeof Message !== 'string'",
        tests: ['test/deliver/memory'],
      },
      {
        file: 'wrapper.ts',
        protects: 'a compressed message is not opened beyond its limit',
        text: ', { maxOutputLength: MAX_DECOMPRESSED }',
        tests: ['test/deliver/memory'],
      },
    ],
  },
  {
    room: 'record/message',
    protections: [
      {
        file: 'readMessage.ts',
        protects: 'the copy of another consumer is not run',
        text: 'names === undefined || consumer === undefined || names.has(consumer)',
        without: 'true',
        tests: ['test/deliver/identity'],
      },
      {
        file: 'readMessage.ts',
        protects: 'a message whose token may be gone is not run',
        text: 'if (now - takenAt <= limit) return undefined',
        without: 'return undefined',
      },
      {
        file: 'identity.ts',
        protects: 'a stamp that contradicts the payload is not trusted',
        text: 'if (id === fromEnvelope.id) return',
        without: 'return',
      },
      {
        file: 'identity.ts',
        protects: 'different ids stay different when they are hashed',
        text: 'return id.isWellFormed() ?',
        without: 'return true ?',
      },
      {
        file: 'message.ts',
        protects: 'an id that was only stated is trusted for the same body alone',
        text: '(isComputed(stored) && isComputed(given)) || isSameBody(stored, given)',
        without: 'true',
      },
      {
        file: 'parsePayload.ts',
        protects: 'a payload cannot overflow the stack',
        text: 'if (nesting > MAX_NESTING) return true',
      },
      {
        file: 'message.ts',
        protects: 'fields that must agree do',
        text: 'if (hasFields(stored) && hasFields(given)) return stored === given',
        tests: ['test/deliver/otherPayload'],
      },
      {
        file: 'message.ts',
        protects: 'another payload under a computed id is not dropped without a word',
        text: 'return isComputed(stored) && isComputed(given) && !isSameBody(stored, given)',
        without: 'return false',
        tests: ['test/deliver/otherPayload'],
      },
    ],
  },
  {
    room: 'record/events',
    protections: [
      {
        file: 'eventBridgeEvents.ts',
        protects: 'only events of the own account choose an identity',
        text: "(admitted !== 'any' && !admitted.includes(account))",
        without: 'false',
      },
      {
        file: 's3Notifications.ts',
        protects: 'only notifications of named buckets are opened',
        text: "admits: (bucket) => buckets === 'any' || buckets.includes(bucket)",
        without: 'admits: () => true',
      },
      {
        file: 'openedEvents.ts',
        protects: 'a deep event is refused, and not left on the queue',
        text: 'if (!(error instanceof RangeError)) throw error',
        without: 'throw error',
      },
    ],
  },
  {
    room: 'features/payloads',
    protections: [
      {
        file: 'openPayloads.ts',
        protects: 'another payload is not taken for the one that was sent',
        text: '!isSame(describe(payload), carried)',
        without: 'false',
        tests: ['test/features/payloads/recordHandler', 'test/features/s3'],
      },
      {
        file: 'openPayloads.ts',
        protects: 'no payload is sent that a consumer would not read',
        text: 'if (carried.bytes > maxBytes)',
        without: 'if (false)',
        tests: ['test/features/payloads/recordHandler', 'test/features/s3'],
      },
      {
        file: 'openPayloads.ts',
        protects: 'a message cannot fill the memory of its consumer',
        text: 'if (bytes > maxBytes)',
        without: 'if (false)',
        tests: ['test/features/payloads/recordHandler', 'test/features/s3'],
      },
    ],
  },
  {
    room: 'features/s3',
    protections: [
      {
        file: 's3Payloads.ts',
        protects: 'an object of another size is not read',
        text: 'if (ContentLength === bytes)',
        without: 'if (true)',
      },
      {
        file: 's3Payloads.ts',
        protects: 'the bucket belongs to the account that was named',
        text: '...(bucketOwner !== undefined && { ExpectedBucketOwner: bucketOwner }),',
      },
      {
        file: 's3Payloads.ts',
        protects: 'one message without a payload does not fail the batch',
        text: "if (forbidden && done === 'read')",
        without: 'if (false)',
      },
    ],
  },
  {
    room: 'features/delay',
    tests: [
      'test/features/delay/row',
      'test/features/delay/runs',
      'test/features/delay/age',
      'test/features/delay/seam',
      'test/sweeper/sendDelayed',
    ],
    protections: [
      {
        file: 'judgeDelayed.ts',
        protects: 'what a run that was taken back has sent is not delivered',
        text: 'if (dead.undo !== undefined || TAKEN_BACK.includes(dead.ending)) return VOID',
      },
      {
        file: 'judgeDelayed.ts',
        protects: 'a message waits while the end of its run is being written',
        text: 'return seen?.run?.ending === undefined ? SEND :',
        without: 'return true ? SEND :',
      },
      {
        file: 'delayedRow.ts',
        protects: 'a message that was sent is not closed or voided by another sweeper',
        text: 'where: STILL_DUE,',
        without: 'where: [],',
      },
      {
        file: 'delayedRow.ts',
        protects: 'a message is put off only as it was read',
        text: '[...STILL_DUE, asRead]',
        without: '[]',
      },
      {
        file: 'storedDelays.ts',
        protects: 'a message does not outlive what its consumer runs',
        text: 'if (due - now > sender.keepFor)',
        without: 'if (false)',
        tests: ['test/features/delay', 'test/flow/delays'],
      },
      {
        file: 'storedDelays.ts',
        protects: 'a row stays within its size',
        text: 'if (!isSmall(message)) throw',
        without: 'if (false) throw',
        tests: ['test/features/delay', 'test/proof/mistakes'],
      },
    ],
  },
]

export default rooms
