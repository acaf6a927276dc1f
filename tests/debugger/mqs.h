/* The interface between a debugger and a message-queue DLL, written from the MPI Forum's document on tools and debugging
   interfaces; numbers are those of its sections. What common headers have besides is marked. */
#ifndef MPIVET_TEST_MQS_H
#define MPIVET_TEST_MQS_H
#include <stddef.h>
#include <stdint.h>

typedef long mqs_tword_t;           /* 5.2 */
typedef uint64_t mqs_taddr_t;       /* 5.3 */

/* 5.4; the last two are not in the document: a DLL may have only the first five, so a debugger writes no more. */
typedef struct {
  int short_size, int_size, long_size, long_long_size, pointer_size;
} mqs_target_type_sizes;

/* 5.5 */
typedef struct mqs_image_ mqs_image;
typedef struct mqs_process_ mqs_process;
typedef struct mqs_type_ mqs_type;
typedef struct mqs_image_info_ mqs_image_info;
typedef struct mqs_process_info_ mqs_process_info;

/* 5.6 */
typedef enum { mqs_lang_c = 'c', mqs_lang_cplus = 'C', mqs_lang_f77 = 'f', mqs_lang_f90 = 'F' } mqs_lang_code;
typedef enum { mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages } mqs_op_class;
enum mqs_status { mqs_st_pending, mqs_st_matched, mqs_st_complete };
enum { mqs_ok = 0, mqs_no_information, mqs_end_of_list, mqs_first_user_code = 100 };
enum { MQS_INVALID_PROCESS = -1 };
#define MQS_INTERFACE_COMPATIBILITY 2 /* not in the document */

/* 5.7.1 */
typedef struct {
  mqs_taddr_t unique_id;
  mqs_tword_t local_rank;
  mqs_tword_t size;
  char name[64];
} mqs_communicator;

/* 5.7.2 */
typedef struct {
  int status;
  mqs_tword_t desired_local_rank;
  mqs_tword_t desired_global_rank;
  int tag_wild;
  mqs_tword_t desired_tag;
  mqs_tword_t desired_length;
  int system_buffer;
  mqs_taddr_t buffer;
  mqs_tword_t actual_local_rank;
  mqs_tword_t actual_global_rank;
  mqs_tword_t actual_tag;
  mqs_tword_t actual_length;
  char extra_text[5][64];
} mqs_pending_operation;

/* 5.8.1; mqs_dprints_ft is not in the document. */
typedef void *(*mqs_malloc_ft)(size_t);
typedef void (*mqs_free_ft)(void *);
typedef void (*mqs_dprints_ft)(const char *);
typedef char *(*mqs_errorstring_ft)(int);
typedef void (*mqs_put_image_info_ft)(mqs_image *, mqs_image_info *);
typedef mqs_image_info *(*mqs_get_image_info_ft)(mqs_image *);
typedef void (*mqs_put_process_info_ft)(mqs_process *, mqs_process_info *);
typedef mqs_process_info *(*mqs_get_process_info_ft)(mqs_process *);

typedef struct mqs_basic_callbacks {
  mqs_malloc_ft mqs_malloc_fp;
  mqs_free_ft mqs_free_fp;
  mqs_dprints_ft mqs_dprints_fp;
  mqs_errorstring_ft mqs_errorstring_fp;
  mqs_put_image_info_ft mqs_put_image_info_fp;
  mqs_get_image_info_ft mqs_get_image_info_fp;
  mqs_put_process_info_ft mqs_put_process_info_fp;
  mqs_get_process_info_ft mqs_get_process_info_fp;
} mqs_basic_callbacks;

/* 5.8.2 */
typedef void (*mqs_get_type_sizes_ft)(mqs_process *, mqs_target_type_sizes *);
typedef int (*mqs_find_function_ft)(mqs_image *, char *, mqs_lang_code, mqs_taddr_t *);
typedef int (*mqs_find_symbol_ft)(mqs_image *, char *, mqs_taddr_t *);
typedef mqs_type *(*mqs_find_type_ft)(mqs_image *, char *, mqs_lang_code);
typedef int (*mqs_field_offset_ft)(mqs_type *, char *);
typedef int (*mqs_sizeof_ft)(mqs_type *);

typedef struct mqs_image_callbacks {
  mqs_get_type_sizes_ft mqs_get_type_sizes_fp;
  mqs_find_function_ft mqs_find_function_fp;
  mqs_find_symbol_ft mqs_find_symbol_fp;
  mqs_find_type_ft mqs_find_type_fp;
  mqs_field_offset_ft mqs_field_offset_fp;
  mqs_sizeof_ft mqs_sizeof_fp;
} mqs_image_callbacks;

/* 5.8.3 */
typedef int (*mqs_get_global_rank_ft)(mqs_process *);
typedef mqs_image *(*mqs_get_image_ft)(mqs_process *);
typedef int (*mqs_fetch_data_ft)(mqs_process *, mqs_taddr_t, int, void *);
typedef void (*mqs_target_to_host_ft)(mqs_process *, const void *, void *, int);

typedef struct mqs_process_callbacks {
  mqs_get_global_rank_ft mqs_get_global_rank_fp;
  mqs_get_image_ft mqs_get_image_fp;
  mqs_fetch_data_ft mqs_fetch_data_fp;
  mqs_target_to_host_ft mqs_target_to_host_fp;
} mqs_process_callbacks;

/* 5.9 to 5.12 */
extern void mqs_setup_basic_callbacks(const mqs_basic_callbacks *);
extern char *mqs_version_string(void);
extern int mqs_version_compatibility(void);
extern int mqs_dll_taddr_width(void);
extern char *mqs_dll_error_string(int);
extern int mqs_setup_image(mqs_image *, const mqs_image_callbacks *);
extern int mqs_image_has_queues(mqs_image *, char **);
extern int mqs_destroy_image_info(mqs_image_info *);
extern int mqs_setup_process(mqs_process *, const mqs_process_callbacks *);
extern int mqs_process_has_queues(mqs_process *, char **);
extern int mqs_destroy_process_info(mqs_process_info *);
extern int mqs_update_communicator_list(mqs_process *);
extern int mqs_setup_communicator_iterator(mqs_process *);
extern int mqs_get_communicator(mqs_process *, mqs_communicator *);
extern int mqs_get_comm_group(mqs_process *, int *);
extern int mqs_next_communicator(mqs_process *);
extern int mqs_setup_operation_iterator(mqs_process *, int);
extern int mqs_next_operation(mqs_process *, mqs_pending_operation *);
#endif
