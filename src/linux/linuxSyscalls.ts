/** The system calls of the kernel we play, put together. */
import { inotifyCalls } from './inotify/inotifyCalls.js';
import { messageCalls } from './ipc/messageCalls.js';
import { posixQueueCalls } from './ipc/posixQueueCalls.js';
import { sharedMemoryCalls } from './ipc/sharedMemoryCalls.js';
import { semaphoreCalls } from './ipc/semaphoreCalls.js';
import { lockCalls } from './locks/lockCalls.js';
import { memorySyscalls } from './memory/memorySyscalls.js';
import { groupCalls } from './processes/groupCalls.js';
import { waitCalls } from './processes/waitCalls.js';
import { signalCalls } from './signals/signalCalls.js';
import { allocationCalls } from './syscalls/allocation.js';
import { pidFileCalls } from './processes/pidFileCalls.js';
import { attributeCalls } from './syscalls/attributes.js';
import { copyingCalls } from './syscalls/copying.js';
import { descriptorCalls } from './syscalls/descriptors.js';
import { directoryCalls } from './syscalls/directories.js';
import { epollCalls } from './syscalls/epollCalls.js';
import { eventFileCalls } from './syscalls/eventFiles.js';
import { execCalls } from './syscalls/exec.js';
import { futexCalls } from './syscalls/futex.js';
import { identityCalls } from './syscalls/identity.js';
import { ioctlCalls } from './syscalls/ioctl.js';
import { linkCalls } from './syscalls/links.js';
import { metadataCalls } from './syscalls/metadata.js';
import { openingCalls } from './syscalls/opening.js';
import { permissionCalls } from './syscalls/permissions.js';
import { pollingCalls } from './syscalls/polling.js';
import { processLifeCalls } from './syscalls/processLife.js';
import { remoteMemoryCalls } from './syscalls/remoteMemory.js';
import { resourceCalls } from './syscalls/resources.js';
import { schedulingCalls } from './syscalls/scheduling.js';
import { socketCalls } from './syscalls/sockets.js';
import { spliceCalls } from './syscalls/splice.js';
import { timeCalls } from './syscalls/time.js';
import { transferCalls } from './syscalls/transfer.js';
import type { SyscallFamily, SyscallHandler } from './syscall.js';
import { buildSyscallTable, type SyscallEntry } from './syscallTable.js';

export function linuxSyscallTable(): readonly (SyscallEntry | undefined)[] {
  return buildSyscallTable([
    transferCalls, copyingCalls, descriptorCalls, ioctlCalls,
    ...[openingCalls, allocationCalls, attributeCalls, metadataCalls, permissionCalls, linkCalls, directoryCalls].map(withRights),
    pollingCalls, epollCalls, eventFileCalls, withRights(inotifyCalls), timeCalls, identityCalls, resourceCalls, schedulingCalls, processLifeCalls, futexCalls, withRights(execCalls), withRights(socketCalls), spliceCalls,
    memorySyscalls, remoteMemoryCalls, signalCalls, waitCalls, groupCalls, lockCalls, pidFileCalls, semaphoreCalls, sharedMemoryCalls, messageCalls, posixQueueCalls,
  ]);
}

/** Calls that look up files do so with the rights of the process. */
function withRights(family: SyscallFamily): SyscallFamily {
  return Object.fromEntries(Object.entries(family).map(([name, handler]) => [name, actingFor(handler)]));
}

function actingFor(handler: SyscallHandler): SyscallHandler {
  return (p, a) => {
    p.host.identity.actAs(p.credentials.actor);
    return handler(p, a);
  };
}
