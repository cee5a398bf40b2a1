import { loadContext, loadUncommon } from '../../../library/run/deliver/lazy.ts'
import { loadProbe } from '../../../library/features/mapping/watchMapping.ts'
import { loadSdkMessenger } from '../../../library/adapters/send/awsMessenger.ts'
import { eventBridgeSdk, snsSdk, sqsSdk } from '../../../library/adapters/send/sdkMessenger.ts'

/**
 * Lineclear imports the SDK at the first message, and parts of itself on first use. Inside a schedule, where time stands still,
 * that would never finish, or only in the first schedules of a process.
 */
export async function loadAll(): Promise<void> {
  await Promise.all([loadContext(), loadUncommon(), loadProbe(), loadSdkMessenger(), sqsSdk()])
  // These are optional: without them a handler publishes nothing.
  await Promise.allSettled([snsSdk(), eventBridgeSdk()])
}
