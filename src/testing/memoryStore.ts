export {
  memoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from '../store/memory/memoryStore.ts'
