/* A debugger that knows nothing but the document: finds MPIR_dll_name in a process, loads that DLL, and prints the queues
   by lines of words and numbers. The process goes on meanwhile.

   debugger PID [ROUNDS [DLL]]: so many times, one after the other.
   Answers: 0 all was printed, 2 there are no queues, 3 an error of the DLL on the way, 1 anything else. */
#define _GNU_SOURCE
#include "mqs.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct mqs_image_ {
  int pid;
  mqs_image_info *info;
};
struct mqs_process_ {
  int pid;
  mqs_image *image;
  mqs_process_info *info;
};

static long allocated;  /* minus what was freed */
static long fetches;

static void *our_malloc(size_t n) { allocated++; return malloc(n); }
static void our_free(void *p) { allocated--; free(p); }
static void our_dprints(const char *text) { fprintf(stderr, "%s\n", text); }
static char *our_errorstring(int code) { (void)code; return "an error of the debugger"; }
static void put_image_info(mqs_image *image, mqs_image_info *info) { image->info = info; }
static mqs_image_info *get_image_info(mqs_image *image) { return image->info; }
static void put_process_info(mqs_process *process, mqs_process_info *info) { process->info = info; }
static mqs_process_info *get_process_info(mqs_process *process) { return process->info; }

static int fetch(mqs_process *process, mqs_taddr_t address, int size, void *buffer) {
  struct iovec local = {buffer, size}, remote = {(void *)address, size};
  fetches++;
  return process_vm_readv(process->pid, &local, 1, &remote, 1, 0) == size ? mqs_ok : mqs_no_information;
}
static void to_host(mqs_process *process, const void *from, void *to, int size) {
  (void)process;
  memcpy(to, from, size);
}
static int get_global_rank(mqs_process *process) { (void)process; return -1; }
static mqs_image *get_image(mqs_process *process) { return process->image; }

static void get_type_sizes(mqs_process *process, mqs_target_type_sizes *sizes) {
  (void)process;
  *sizes = (mqs_target_type_sizes){sizeof(short), sizeof(int), sizeof(long), sizeof(long long), sizeof(void *)};
}

/* The value of a defined dynamic symbol of a file, and its size; 0 if there is none. */
static uint64_t symbol_of_file(const char *path, const char *name, uint64_t *size) {
  uint64_t value = 0;
  struct stat st;
  int fd = open(path, O_RDONLY);
  if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(Elf64_Ehdr)) {
    if (fd >= 0) close(fd);
    return 0;
  }
  char *file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (file == MAP_FAILED) return 0;
  Elf64_Ehdr *header = (Elf64_Ehdr *)file;
  if (!memcmp(file, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64) {
    Elf64_Shdr *sections = (Elf64_Shdr *)(file + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
      if (sections[i].sh_type != SHT_DYNSYM) continue;
      Elf64_Sym *symbols = (Elf64_Sym *)(file + sections[i].sh_offset);
      const char *strings = file + sections[sections[i].sh_link].sh_offset;
      for (size_t s = 0; s < sections[i].sh_size / sizeof(Elf64_Sym); s++)
        if (symbols[s].st_shndx != SHN_UNDEF && !strcmp(strings + symbols[s].st_name, name)) {
          value = symbols[s].st_value;
          if (size) *size = symbols[s].st_size;
        }
    }
  }
  munmap(file, st.st_size);
  return value;
}

/* The address of a symbol in a process: of the first mapped file that has it. The preloaded library is preferred, as the
   loader does: the files are taken in two passes. */
static mqs_taddr_t symbol_from(int pass, int pid, const char *name, uint64_t *size) {
  for (; pass < 2; pass++) {
    char path[64], line[4096 + 128], last[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "r");
    if (!maps) return 0;
    while (fgets(line, sizeof line, maps)) {
      unsigned long start, offset;
      char file[4096] = "";
      if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %4095[^\n]", &start, &offset, file) < 3) continue;
      if (file[0] != '/' || offset || !strcmp(file, last)) continue;
      strcpy(last, file);
      if ((strstr(file, "/libmpivet.so") != NULL) != (pass == 0)) continue;
      uint64_t value = symbol_of_file(file, name, size);
      if (value) {
        fclose(maps);
        return start + value;
      }
    }
    fclose(maps);
  }
  return 0;
}

static mqs_taddr_t symbol(int pid, const char *name, uint64_t *size) { return symbol_from(0, pid, name, size); }

static int find_function(mqs_image *image, char *name, mqs_lang_code lang, mqs_taddr_t *address) {
  (void)lang;
  *address = symbol(image->pid, name, NULL);
  return *address ? mqs_ok : mqs_no_information;
}
static int find_symbol(mqs_image *image, char *name, mqs_taddr_t *address) {
  *address = symbol(image->pid, name, NULL);
  return *address ? mqs_ok : mqs_no_information;
}
static mqs_type *find_type(mqs_image *image, char *name, mqs_lang_code lang) {
  (void)image, (void)name, (void)lang;
  return NULL;
}
static int field_offset(mqs_type *type, char *name) { (void)type, (void)name; return -1; }
static int size_of(mqs_type *type) { (void)type; return -1; }

static const mqs_basic_callbacks basic = {our_malloc,       our_free,       our_dprints,      our_errorstring,
                                          put_image_info,   get_image_info, put_process_info, get_process_info};
static const mqs_image_callbacks of_image = {get_type_sizes, find_function, find_symbol, find_type, field_offset, size_of};
static const mqs_process_callbacks of_process = {get_global_rank, get_image, fetch, to_host};

#define FUNCTION(name) static __typeof__(name) *p_##name
FUNCTION(mqs_setup_basic_callbacks);
FUNCTION(mqs_version_string);
FUNCTION(mqs_version_compatibility);
FUNCTION(mqs_dll_taddr_width);
FUNCTION(mqs_dll_error_string);
FUNCTION(mqs_setup_image);
FUNCTION(mqs_image_has_queues);
FUNCTION(mqs_destroy_image_info);
FUNCTION(mqs_setup_process);
FUNCTION(mqs_process_has_queues);
FUNCTION(mqs_destroy_process_info);
FUNCTION(mqs_update_communicator_list);
FUNCTION(mqs_setup_communicator_iterator);
FUNCTION(mqs_get_communicator);
FUNCTION(mqs_get_comm_group);
FUNCTION(mqs_next_communicator);
FUNCTION(mqs_setup_operation_iterator);
FUNCTION(mqs_next_operation);

static void load(const char *path) {
  void *dll = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!dll) fprintf(stderr, "%s\n", dlerror()), exit(1);
#define GET(name) \
  if (!(p_##name = dlsym(dll, #name))) fprintf(stderr, "%s has no %s\n", path, #name), exit(1)
  GET(mqs_setup_basic_callbacks);
  GET(mqs_version_string);
  GET(mqs_version_compatibility);
  GET(mqs_dll_taddr_width);
  GET(mqs_dll_error_string);
  GET(mqs_setup_image);
  GET(mqs_image_has_queues);
  GET(mqs_destroy_image_info);
  GET(mqs_setup_process);
  GET(mqs_process_has_queues);
  GET(mqs_destroy_process_info);
  GET(mqs_update_communicator_list);
  GET(mqs_setup_communicator_iterator);
  GET(mqs_get_communicator);
  GET(mqs_get_comm_group);
  GET(mqs_next_communicator);
  GET(mqs_setup_operation_iterator);
  GET(mqs_next_operation);
}

static int failed(const char *what, int code) {
  printf("error %d %s: %s\n", code, what, p_mqs_dll_error_string(code));
  return code;
}

static void print(const char *queue, const mqs_pending_operation *op) {
  printf("  %s status %d rank %ld global %ld tag %ld wild %d length %ld system %d buffer %#lx", queue, op->status,
         (long)op->desired_local_rank, (long)op->desired_global_rank, (long)op->desired_tag, op->tag_wild,
         (long)op->desired_length, op->system_buffer, (unsigned long)op->buffer);
  for (int i = 0; i < 5 && op->extra_text[i][0]; i++) printf(" | %.64s", op->extra_text[i]);
  printf("\n");
}

static int operations(mqs_process *process, const char *name, int class) {
  mqs_pending_operation op;
  int code = p_mqs_setup_operation_iterator(process, class);
  if (code == mqs_no_information) {
    printf("  %s: no information\n", name);
    return mqs_ok;
  }
  if (code != mqs_ok) return code == mqs_end_of_list ? mqs_ok : failed("setup_operation_iterator", code);
  while (memset(&op, 0xee, sizeof op), (code = p_mqs_next_operation(process, &op)) == mqs_ok) print(name, &op);
  return code == mqs_end_of_list ? mqs_ok : failed("next_operation", code);
}

static int queues(mqs_process *process) {
  int code = p_mqs_update_communicator_list(process);
  if (code != mqs_ok) return failed("update_communicator_list", code);
  code = p_mqs_setup_communicator_iterator(process);
  while (code == mqs_ok) {
    mqs_communicator comm;
    if ((code = p_mqs_get_communicator(process, &comm)) != mqs_ok) return failed("get_communicator", code);
    int *ranks = malloc(sizeof(int) * (comm.size + 1));
    ranks[comm.size] = 4711;
    if ((code = p_mqs_get_comm_group(process, ranks)) != mqs_ok) return failed("get_comm_group", code);
    if (ranks[comm.size] != 4711) fprintf(stderr, "wrote behind the group\n"), exit(1);
    printf("comm %#lx rank %ld size %ld group", (unsigned long)comm.unique_id, (long)comm.local_rank, (long)comm.size);
    for (int i = 0; i < comm.size; i++) printf(" %d", ranks[i]);
    printf(" name %.64s\n", comm.name);
    free(ranks);
    if ((code = operations(process, "send", mqs_pending_sends)) != mqs_ok) return code;
    if ((code = operations(process, "receive", mqs_pending_receives)) != mqs_ok) return code;
    if ((code = operations(process, "unexpected", mqs_unexpected_messages)) != mqs_ok) return code;
    code = p_mqs_next_communicator(process);
  }
  return code == mqs_end_of_list ? mqs_ok : failed("next_communicator", code);
}

/* The path in MPIR_dll_name of the preloaded library, or else (pass 1) of another one. */
static int dll_name(mqs_process *process, int pass, char *name, size_t room) {
  uint64_t size = 0;
  mqs_taddr_t at = symbol_from(pass, process->pid, "MPIR_dll_name", &size);
  memset(name, 0, room);
  return at && fetch(process, at, size < room ? size : room - 1, name) == mqs_ok;
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "debugger PID [ROUNDS [DLL]]\n"), 1;
  int pid = atoi(argv[1]), rounds = argc > 2 ? atoi(argv[2]) : 1, code = 0;
  char name[4096] = "", *message = NULL;
  mqs_image image = {pid, NULL};
  mqs_process process = {pid, &image, NULL};
  if (argc > 3) {
    snprintf(name, sizeof name, "%s", argv[3]);
  } else {
    if (dll_name(&process, 1, name, sizeof name)) printf("another dll %s\n", name);
    if (!dll_name(&process, 0, name, sizeof name)) return fprintf(stderr, "no MPIR_dll_name\n"), 1;
  }
  load(name);
  printf("dll %s\nversion %s compatibility %d width %d\n", name, p_mqs_version_string(), p_mqs_version_compatibility(),
         p_mqs_dll_taddr_width());
  /* Nothing may crash because a debugger does not keep to the order. */
  if (p_mqs_setup_image(&image, &of_image) < 100 || p_mqs_next_operation(&process, NULL) < 100) return 1;
  p_mqs_setup_basic_callbacks(NULL);
  p_mqs_setup_basic_callbacks(&basic);
  if (p_mqs_update_communicator_list(&process) == mqs_ok || p_mqs_setup_process(NULL, NULL) == mqs_ok) return 1;
  if ((code = p_mqs_setup_image(&image, &of_image)) != mqs_ok) return failed("setup_image", code), 3;
  code = p_mqs_image_has_queues(&image, &message);
  if (message) printf("message %s\n", message);
  if (code != mqs_ok) return failed("image_has_queues", code), 2;
  if ((code = p_mqs_setup_process(&process, &of_process)) != mqs_ok) return failed("setup_process", code), 3;
  message = NULL;
  code = p_mqs_process_has_queues(&process, &message);
  if (message) printf("message %s\n", message);
  if (code == mqs_no_information) return failed("process_has_queues", code), 2;
  if (code != mqs_ok) return failed("process_has_queues", code), 3;
  printf("ready\n");
  fflush(stdout);
  for (int round = 1; round <= rounds && code == mqs_ok; round++) {
    printf("round %d\n", round);
    code = queues(&process);
  }
  if (code == mqs_ok && p_mqs_setup_operation_iterator(&process, 99) < 100) return 1;
  p_mqs_destroy_process_info(process.info);
  p_mqs_destroy_image_info(image.info);
  printf("fetches %ld allocated %ld\n", fetches, allocated);
  return code == mqs_ok ? 0 : 3;
}
