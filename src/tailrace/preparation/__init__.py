"""What takes long and can be made once for a machine, or for an image: `tailrace compile`, and the start of a first run.

`steps` lists what is prepared. `kernels` has all kernels compiled by processes side by side; `kernel_modules` says where they
are, `compiling_process` is such a process. `executor` prepares the machine of a task.
"""
