import { believing, dropping, those } from '../removals.ts'
import type { Protection } from './protection.ts'

export const fences: readonly Protection[] = [
  {
    name: 'fence on the end',
    removal: { store: dropping('attemptId', those('completes')) },
    scenarios: ['write'],
  },
  {
    name: 'fence on the re-send',
    removal: { store: dropping('attemptId', those('writes resend')) },
    scenarios: ['resent'],
  },
  {
    name: 'fence on coming back later',
    removal: { store: dropping('attemptId', those('writes when')) },
    scenarios: ['hidden'],
  },
  {
    name: 'fence on handing back',
    removal: { store: dropping('attemptId', those('releases')) },
    scenarios: ['handedBack'],
  },
  {
    name: 'fence on dying',
    removal: { store: dropping('attemptId', those('marks the request')) },
    scenarios: ['hopeless', 'floating'],
    only: ['clock jumps'],
  },
  {
    name: 'fence on burying',
    removal: { store: dropping('attemptId', those('buries')) },
    scenarios: ['hopeless', 'floating'],
  },
  {
    name: 'fence on stored calls',
    removal: { store: dropping('attemptId', those('stores')) },
    scenarios: ['stop'],
    only: ['clock jumps'],
  },
  {
    name: "fence on the user's write",
    removal: { store: dropping('attemptId', those('marks reserve')) },
    scenarios: ['write'],
  },
  {
    name: 'no write while dying or dead',
    removal: { store: dropping('status', those('marks reserve')) },
    scenarios: ['floating'],
    survives:
      "a second lock: a failed handler's writes have ended before its record is marked as dying",
  },
  {
    name: 'refused end is believed',
    removal: { store: believing(those('completes')) },
    scenarios: ['write'],
  },
  {
    name: 'refused re-send is believed',
    removal: { store: believing(those('writes resend')) },
    scenarios: ['resent'],
    survives: 'liveness: one more copy wakes up, and copies cannot multiply executions',
  },
  {
    name: 'refused START is believed',
    removal: { store: believing(those('stores START')) },
    scenarios: ['stop'],
    only: ['clock jumps'],
  },
]
