import type { RoomProtections } from '../protection.ts'

const rooms: readonly RoomProtections[] = [
  {
    room: 'base/limits',
    tests: ['test/proof/lifetimes'],
    protections: [
      {
        file: 'lifetime.ts',
        protects: 'what belongs to a run is kept until the run can no longer be continued',
        text: 'return until + MARGIN_MS',
        without: 'return until - 60 * DAY_MS',
      },
      {
        file: 'lifetime.ts',
        protects:
          'a run can be continued from its dead letter, as long as that can be redriven twice',
        text: 'Math.max(retention, 2 * LONGEST_IN_QUEUE_MS + 2 * DAY_MS)',
        without: '0',
      },
      {
        file: 'lifetime.ts',
        protects: 'what has expired counts as gone also before DynamoDB deletes it',
        text: "typeof ttl === 'number' && ttl * 1_000 <= now",
        without: 'false',
      },
    ],
  },
]

export default rooms
