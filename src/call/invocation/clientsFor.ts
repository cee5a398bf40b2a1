import { awsMessenger } from '../../send/awsMessenger.ts'
import type { Messenger } from '../../send/messenger.ts'
import type { Store } from '../../store/store.ts'
import type { CallEffectsOptions } from './options.ts'

/** One messenger for each store: with a store in memory, no AWS client is made. */
export function clientsFor({
  sqs,
  sns,
}: Pick<CallEffectsOptions, 'sqs' | 'sns'>): (store: Store) => Messenger {
  const messengers = new WeakMap<Store, Messenger>()
  return (store) => {
    const messenger = messengers.get(store) ?? awsMessenger({ sqs, sns, inMemory: store.inMemory })
    messengers.set(store, messenger)
    return messenger
  }
}
